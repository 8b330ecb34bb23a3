/// One thing that `longwave doctor` looked at.
public struct Finding: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// As it should be.
    case ok
    /// It works, but less well or less surely than it could.
    case warn
    /// The relay will not run, or not do what it was told.
    case fail
  }

  public var level: Level
  public var subject: String
  public var text: String
  /// What to do about it; nil where there is nothing to do.
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
