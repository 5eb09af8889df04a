"""Parameters as tables: what `ros2 param describe` shows is what is checked."""

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
    """One parameter of a node; `live` ones may change while the node runs."""

    name: str
    default: Any
    description: str
    range: tuple[float, float] | None = None
    choices: tuple[str, ...] = ()
    live: bool = False

    @property
    def is_set_by_default(self) -> bool:
        """Whether it has a value without anybody giving one."""
        return not isinstance(self.default, Parameter.Type)

    def objection(self, value: Any) -> str | None:
        """Say what is wrong with a value, or None."""
        values = value if isinstance(value, (list, tuple, array)) else [value]
        for entry in values:
            if isinstance(entry, float) and not math.isfinite(entry):
                return f"{self.name} must be finite, not {entry}"
            if self.range and not self.range[0] <= entry <= self.range[1]:
                return f"{self.name} must be in {self.range[0]:g} .. {self.range[1]:g}, not {entry}"
            if self.choices and entry not in self.choices:
                return f"{self.name} must be one of {', '.join(self.choices)}, not '{entry}'"
        return None

    def descriptor(self) -> ParameterDescriptor:
        """Return what tools show, and what rcl itself enforces."""
        descriptor = ParameterDescriptor(description=self.description, read_only=not self.live)
        if self.choices:
            descriptor.additional_constraints = f"one of {', '.join(self.choices)}"
        if self.range and isinstance(self.default, float):
            low, high = self.range
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        return descriptor


def declare(
    node: Node, settings: Sequence[Setting], check: Callable[[dict[str, Any]], None] | None = None
) -> None:
    """Declare all settings; refuse wrong values, from the start and later.

    `check(values)` gets the new values that passed by themselves, and may object to them
    by ValueError.
    """
    table = {setting.name: setting for setting in settings}

    def on_set(parameters: Sequence[Parameter]) -> SetParametersResult:
        new = {p.name: p.value for p in parameters if p.name in table and p.value is not None}
        for name, value in new.items():
            if objection := table[name].objection(value):
                return SetParametersResult(successful=False, reason=objection)
        try:
            if check:
                check(new)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    for setting in settings:
        node.declare_parameter(setting.name, setting.default, setting.descriptor())


def read(node: Node, name: str, default: Any = None) -> Any:
    """Return the value of a parameter, or `default` where it was declared by type and not set."""
    return node.get_parameter_or(name, Parameter(name, value=default)).value
