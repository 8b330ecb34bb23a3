import Timeshift
import Wire

/// Looks into the files that stations fall back to. These looks run apart, so that commands for stations need not wait
/// for them.
///
/// Not Sendable: only the relay's actor has it.
final class FallbackLooks {
  /// The outcome of one look.
  struct Outcome: Sendable {
    var station: String
    var beganAt: MonotonicTime
    var format: Result<AudioFormat, FallbackFile.Failure>
  }

  private let paths: NamedPaths
  /// Called when a file has been looked into; the outcome then goes to `note`.
  var whenLooked: @Sendable (Outcome) async -> Void = { _ in }
  /// Looks by station; a look that hangs stays until it is over.
  private var looks: [String: FallbackLook] = [:]

  init(_ paths: NamedPaths) { self.paths = paths }

  /// Returns the format of a file; nil while the file is being looked into.
  func format(
    ofFile path: String, for station: String, at now: MonotonicTime
  ) throws(RelayError) -> AudioFormat? {
    if let look = looks[station], look.path == path, !look.isOver(at: now) {
      if let result = look.result {
        looks[station] = nil
        do throws(FallbackFile.Failure) {
          return try result.get()
        } catch {
          throw RelayError.badField("fallback", "\(error)")
        }
      }
      if now.seconds(since: look.beganAt) < paths.patience { return nil }
      throw .silent(SilentPath(path: path, seconds: paths.patience), field: "fallback")
    }
    begin(path, for: station, at: now)
    return nil
  }

  private func begin(_ path: String, for station: String, at now: MonotonicTime) {
    looks[station] = FallbackLook(path: path, beganAt: now)
    Task { [paths, whenLooked] in
      let format: Result<AudioFormat, FallbackFile.Failure>
      do throws(SilentPath) {
        format = try await paths.wait(path) { FallbackFile(path: path).probed }
      } catch {
        format = .failure(FallbackFile.Failure(description: "\(error)"))
      }
      await whenLooked(Outcome(station: station, beganAt: now, format: format))
    }
  }

  /// Notes an outcome. False when the look is no longer wanted.
  func note(_ outcome: Outcome) -> Bool {
    guard looks[outcome.station]?.beganAt == outcome.beganAt else { return false }
    looks[outcome.station]?.result = outcome.format
    looks[outcome.station]?.endedAt = .now()
    return true
  }

  func forget(_ station: String) { looks[station] = nil }

  /// Forgets all stations but these.
  func forget(all others: Set<String>) { looks = looks.filter { others.contains($0.key) } }
}

/// The progress of a look into a file that a station falls back to.
private struct FallbackLook: Sendable {
  var path: String
  var beganAt: MonotonicTime
  /// Nil while the result has not come.
  var result: Result<AudioFormat, FallbackFile.Failure>?
  /// When the result came.
  var endedAt: MonotonicTime?

  /// Seconds for which the result counts: after that the file may be another one.
  private static let life = 1.0

  func isOver(at now: MonotonicTime) -> Bool {
    endedAt.map { now.seconds(since: $0) > Self.life } ?? false
  }
}
