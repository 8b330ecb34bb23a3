import Foundation
import Server
import Timeshift
import Wire

/// A listener's session by its token: `http://…/jazz?session=TOKEN` in a player, steered here.
///
/// Each method asks the relay anew, and throws `RelayError.unknownSession` when no listener has begun the session.
public struct SessionHandle: Sendable {
  /// 8 to 64 of A–Z, a–z, 0–9, `-` and `_`.
  public let token: String
  let relay: Relay

  /// Returns where the session is now.
  public func snapshot() async throws(RelayError) -> SessionSnapshot { try await steer(nil) }

  @discardableResult
  public func pause() async throws(RelayError) -> SessionSnapshot { try await steer(.pause) }

  @discardableResult
  public func resume() async throws(RelayError) -> SessionSnapshot { try await steer(.resume) }

  /// Goes back by `time` of what was heard, at most to the beginning of the window.
  @discardableResult
  public func rewind(by time: Duration) async throws(RelayError) -> SessionSnapshot {
    try await steer(.rewind(MediaTime(seconds: time.seconds)))
  }

  /// Goes forward by `time`, at most to the live edge.
  @discardableResult
  public func forward(by time: Duration) async throws(RelayError) -> SessionSnapshot {
    try await steer(.forward(MediaTime(seconds: time.seconds)))
  }

  /// Goes to what was on air `time` ago, as the station's log counts time.
  @discardableResult
  public func seek(behindLive time: Duration) async throws(RelayError) -> SessionSnapshot {
    try await steer(.behind(MediaTime(seconds: time.seconds)))
  }

  /// Goes to what was on air at `date`; for a date before the window, to the window's beginning.
  @discardableResult
  public func seek(to date: Date) async throws(RelayError) -> SessionSnapshot {
    try await steer(.at(WallTime(date)))
  }

  /// Goes to the beginning of this title, of the previous one or of the next one.
  @discardableResult
  public func seek(to track: TrackPlace) async throws(RelayError) -> SessionSnapshot {
    try await steer(.track(track))
  }

  @discardableResult
  public func goLive() async throws(RelayError) -> SessionSnapshot { try await steer(.live) }

  private func steer(_ steering: Steering?) async throws(RelayError) -> SessionSnapshot {
    guard let token = SessionToken(token) else { throw .unknownSession }
    return try await relay.steer(session: token, steering)
  }
}

extension Relay {
  /// Returns a session by the token that its listener made up.
  public nonisolated func session(_ token: String) -> SessionHandle {
    SessionHandle(token: token, relay: self)
  }
}

extension Duration {
  /// The length in seconds; 0 for negative durations.
  fileprivate var seconds: Double { max(0, self / .seconds(1)) }
}
