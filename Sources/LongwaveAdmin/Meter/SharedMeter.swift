import Longwave
import Synchronization
import Timeshift

/// A meter's model, which events change on one thread and pictures show on another.
public final class SharedMeter: Sendable {
  private let state: Mutex<MeterModel>

  public init(station: String) { state = Mutex(MeterModel(station: station)) }

  private static var now: Double { Double(MonotonicTime.now().nanoseconds) / 1e9 }

  /// The model as it is now.
  public var model: MeterModel {
    state.withLock { model in
      model.advance(to: Self.now)
      return model
    }
  }

  public func receive(_ event: JSON) { state.withLock { $0.receive(event, at: Self.now) } }

  /// - Parameter timeline: nil where it could not be had.
  public func receive(timeline: JSON?) {
    guard let timeline else { return }
    state.withLock { $0.receive(timeline: timeline, at: Self.now) }
  }

  /// Shows what is wrong until the next event.
  public func note(_ trouble: String) { state.withLock { $0.trouble = trouble } }

  /// Whether something was measured.
  public var hasLevels: Bool { state.withLock(\.hasLevels) }

  /// Waits until something was measured.
  public func firstLevels() async throws {
    while !hasLevels { try await Task.sleep(for: .milliseconds(50)) }
  }
}
