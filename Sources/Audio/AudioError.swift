/// The refusal of a codec library, and advice.
public struct AudioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function that refused: `lame_init_params`.
  public var call: String
  /// The function's answer; 0 if it was not called, or gives no code.
  public var code: Int32
  public var reason: String
  /// A sentence of advice for the operator.
  public var advice: String

  public init(call: String, code: Int32, reason: String, advice: String) {
    self.call = call
    self.code = code
    self.reason = reason
    self.advice = advice
  }

  /// A packet out of which more sound comes than it can last.
  static func tooLong(_ seconds: Double) -> AudioError {
    AudioError(
      call: "decode", code: 0, reason: "a packet holds more than \(seconds) s of sound",
      advice: "Look whether its encoder is in order, and go on with a new decoder.")
  }

  public var description: String {
    let answer = code == 0 ? "" : " (\(code))"
    return "\(call): \(reason)\(answer). \(advice)"
  }
}
