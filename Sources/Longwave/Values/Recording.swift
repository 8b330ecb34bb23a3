import Foundation

/// A recording as a program sees it: what was asked for, and how far the recording has come.
public struct Recording: Hashable, Sendable, Identifiable {
  public enum State: String, Codable, Sendable, CaseIterable {
    case recording, finished, failed
  }

  /// A file that is whole.
  public struct File: Hashable, Sendable {
    /// Its name in `folder`.
    public var name: String
    public var bytes: Int64
    public var seconds: Double
    /// The title it holds, for recordings that are split by title.
    public var title: String?
  }

  /// Never given twice.
  public let id: Int64
  public let station: String
  public let state: State
  /// Why the recording failed, ended early, or waits; nil when there is nothing to say.
  public let reason: String?
  /// When the first packet was on air; nil before there is one.
  public let from: Date?
  /// When the recording ends; nil: when it is stopped.
  public let until: Date?
  /// Seconds of audio in all files.
  public let seconds: Double
  public let bytes: Int64
  /// Seconds that left the window, or never reached the disk, before they were recorded.
  public let missedSeconds: Double
  /// The folder of the files; nil before a recording has begun one.
  public let folder: String?
  /// The newest of the whole files, at most 1,000.
  public let files: [File]
}
