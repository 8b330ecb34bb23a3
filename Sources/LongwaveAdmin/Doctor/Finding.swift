import Longwave

/// The result of one check by `longwave doctor`.
public struct Finding: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// The checked thing is as it should be.
    case ok
    /// The relay works, but less well or less surely than it could.
    case warn
    /// The relay will not run, or will not do what it is configured to do.
    case fail
  }

  public var level: Level
  public var subject: String
  public var text: String
  /// The advice for people; nil where nothing needs to be done.
  public var advice: String?

  init(_ level: Level, _ subject: String, _ text: String, advice: String? = nil) {
    self.level = level
    self.subject = subject
    self.text = text
    self.advice = advice
  }

  public var json: JSON {
    [
      "level": .string(level.rawValue), "subject": .string(subject), "text": .string(text),
      "advice": JSON(advice),
    ]
  }
}
