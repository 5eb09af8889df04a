"""How fast the dynamics are, beside other libraries, on this machine: `script/bench`."""
