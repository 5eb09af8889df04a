"""The error that a robot model raises."""


class ModelError(ValueError):
    """The robot description cannot be used; the message names the element and the condition."""
