"""From an algorithm and one robot to a straight-line program, C and callable kernels."""
