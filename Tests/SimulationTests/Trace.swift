import Glibc

/// Tells what happens, for who looks at one seed.
enum Trace {
  static let isOn = getenv("SIMULATION_TRACE") != nil

  static func tell(_ now: Double, _ text: @autoclosure () -> String) {
    if isOn { print("\((now * 1000).rounded() / 1000) \(text())") }
  }
}
