"""The command line: `manip_dynamics <verb>`, one module per verb."""
