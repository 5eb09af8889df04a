// Computed torque at 1 kHz with generated C, in the shape of a ros2_control controller.
//
// `ComputedTorqueController::update` corresponds to update() of controller_interface: it reads state
// interfaces, writes command interfaces, and neither allocates nor locks. The hardware is replaced by
// a simulated arm, which follows a reference for two seconds; the program prints the largest error.

#include "stanford_arm.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

constexpr std::size_t joints = STANFORD_ARM_JOINTS;
using Joints = std::array<double, joints>;

// The loaned interfaces of ros2_control: positions, velocities and efforts of the hardware.
struct HardwareInterfaces {
  Joints position{};
  Joints velocity{};
  Joints effort{};
};

struct Reference {
  Joints position;
  Joints velocity;
  Joints acceleration;
};

class ComputedTorqueController {
public:
  ComputedTorqueController(double stiffness, double damping)
  : stiffness_(stiffness), damping_(damping) {}

  // tau = inverse_dynamics(q, qd, qdd_ref + kd (qd_ref - qd) + kp (q_ref - q))
  void update(const Reference & reference, HardwareInterfaces & hardware)
  {
    for (std::size_t i = 0; i < joints; ++i) {
      demanded_[i] = reference.acceleration[i]
        + damping_ * (reference.velocity[i] - hardware.velocity[i])
        + stiffness_ * (reference.position[i] - hardware.position[i]);
    }
    stanford_arm_inverse_dynamics(
      hardware.position.data(), hardware.velocity.data(), demanded_.data(),
      hardware.effort.data());
  }

private:
  double stiffness_;  // 1/s^2
  double damping_;    // 1/s
  Joints demanded_{};
};

// Replaces the real arm: semi-implicit Euler with the generated forward dynamics.
class SimulatedArm {
public:
  HardwareInterfaces interfaces;

  void write(double period)
  {
    constexpr int substeps = 10;
    const double step = period / substeps;
    Joints acceleration;
    for (int k = 0; k < substeps; ++k) {
      stanford_arm_forward_dynamics(
        interfaces.position.data(), interfaces.velocity.data(), interfaces.effort.data(),
        acceleration.data());
      for (std::size_t i = 0; i < joints; ++i) {
        interfaces.velocity[i] += step * acceleration[i];
        interfaces.position[i] += step * interfaces.velocity[i];
      }
    }
  }
};

// A slow oscillation of every joint about the middle of its range.
Reference reference_at(double time)
{
  constexpr Joints middle{0.0, 0.3, 0.2, 0.0, 0.5, 0.0};
  constexpr Joints amplitude{0.5, 0.3, 0.05, 0.4, 0.3, 0.6};
  constexpr double omega = 2.0;  // rad/s
  Reference reference;
  for (std::size_t i = 0; i < joints; ++i) {
    const double phase = omega * time;
    reference.position[i] = middle[i] + amplitude[i] * (1.0 - std::cos(phase));
    reference.velocity[i] = amplitude[i] * omega * std::sin(phase);
    reference.acceleration[i] = amplitude[i] * omega * omega * std::cos(phase);
  }
  return reference;
}

int main()
{
  constexpr double period = 1e-3, duration = 2.0, allowed_error = 2e-3;
  ComputedTorqueController controller(400.0, 40.0);
  SimulatedArm arm;
  arm.interfaces.position = reference_at(0.0).position;

  double largest_error = 0.0;
  std::chrono::nanoseconds spent{0};
  const int ticks = static_cast<int>(duration / period);
  for (int tick = 0; tick < ticks; ++tick) {
    const Reference reference = reference_at(tick * period);
    const auto before = std::chrono::steady_clock::now();
    controller.update(reference, arm.interfaces);
    spent += std::chrono::steady_clock::now() - before;
    arm.write(period);
    const Reference next = reference_at((tick + 1) * period);
    for (std::size_t i = 0; i < joints; ++i) {
      largest_error = std::max(
        largest_error, std::abs(next.position[i] - arm.interfaces.position[i]));
    }
  }
  std::printf(
    "%d updates at %.0f Hz, %.0f ns each; largest error %.1e rad or m\n", ticks, 1.0 / period,
    static_cast<double>(spent.count()) / ticks, largest_error);
  return largest_error < allowed_error ? 0 : 1;
}
