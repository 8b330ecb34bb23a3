/// What a codec library refused, and what to do about it.
public struct AudioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function that refused: `lame_init_params`.
  public var call: String
  /// What it answered; 0 where it was not asked because the answer was known.
  public var code: Int32
  public var reason: String
  /// A sentence for the person who has to mend it.
  public var advice: String

  public init(call: String, code: Int32, reason: String, advice: String) {
    self.call = call
    self.code = code
    self.reason = reason
    self.advice = advice
  }

  public var description: String {
    let answer = code == 0 ? "" : " (\(code))"
    return "\(call): \(reason)\(answer). \(advice)"
  }
}
