"""Text tables: columns line up whatever is in them."""

from manip_dynamics.model.text_table import text_table


def test_columns_are_as_wide_as_their_widest_cell():
    assert text_table([["joint", "effort"], ["a_long_name", 1.0], ["b", -123.456]]) == (
        "joint        effort\n"
        "a_long_name       1\n"
        "b            -123.5"
    )


def test_chosen_columns_are_aligned_to_the_left_without_trailing_blanks():
    assert text_table([["i", "unit"], [10, "m"]], left=(1,), indent="  ") == "   i  unit\n  10  m"


def test_a_string_is_a_line_of_its_own_and_sets_no_width():
    assert text_table(["a long heading", ["a", 1], ["b", 22]]) == "a long heading\na   1\nb  22"


def test_integers_keep_all_digits():
    assert text_table([[1234567, 1234567.0]]) == "1234567  1.235e+06"


def test_no_rows_are_no_text():
    assert text_table([]) == ""
