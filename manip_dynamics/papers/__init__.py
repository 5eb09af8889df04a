"""The tables and examples of the papers, compared with this code."""
