"""Declare, check and read node parameters; one table serves descriptors and checks."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter


@dataclass(frozen=True)
class Setting:
    """One parameter of a node.

    default: its value, or its Parameter.Type if it has none unless set.
    range, choices: allowed values, of each entry if it is an array.
    live: may be changed while the node runs; the others are read-only.
    """

    name: str
    default: Any
    description: str
    range: tuple[float, float] | None = None
    choices: tuple[str, ...] = ()
    live: bool = False

    @property
    def is_set_by_default(self) -> bool:
        """Whether it has a default value."""
        return not isinstance(self.default, Parameter.Type)

    def check(self, value: Any) -> None:
        """Raise ValueError if the value is not allowed."""
        for entry in value if isinstance(value, (list, tuple, array)) else [value]:
            if isinstance(entry, float) and not math.isfinite(entry):
                raise ValueError(f"{self.name} must be finite, not {entry}")
            if self.range and not self.range[0] <= entry <= self.range[1]:
                low, high = self.range
                raise ValueError(f"{self.name} must be in {low:g} .. {high:g}, not {entry}")
            if self.choices and entry not in self.choices:
                choices = ", ".join(self.choices)
                raise ValueError(f"{self.name} must be one of {choices}, not '{entry}'")

    def descriptor(self) -> ParameterDescriptor:
        """Return what `ros2 param describe` shows and what rcl enforces."""
        descriptor = ParameterDescriptor(description=self.description, read_only=not self.live)
        if self.choices:
            descriptor.additional_constraints = f"one of {', '.join(self.choices)}"
        if self.range and isinstance(self.default, float):
            low, high = self.range
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        return descriptor


def declare(
    node: Node, settings: Sequence[Setting], apply: Callable[[dict[str, Any]], None] | None = None
) -> None:
    """Declare all settings; reject invalid values at the start and at run time.

    `apply(values)` is called with every set of valid new values, by name; it may raise ValueError
    to reject them.
    """
    table = {setting.name: setting for setting in settings}

    def on_set(parameters: Sequence[Parameter]) -> SetParametersResult:
        new = {p.name: p.value for p in parameters if p.name in table and p.value is not None}
        try:
            for name, value in new.items():
                table[name].check(value)
            if apply:
                apply(new)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    for setting in settings:
        node.declare_parameter(setting.name, setting.default, setting.descriptor())


def read(node: Node, name: str, default: Any = None) -> Any:
    """Return the value of a parameter; `default` if it was declared by type only and is not set."""
    return node.get_parameter_or(name, Parameter(name, value=default)).value
