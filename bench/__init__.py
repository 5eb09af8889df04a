"""Benchmarks of the dynamics against other libraries on this machine: `script/bench`."""
