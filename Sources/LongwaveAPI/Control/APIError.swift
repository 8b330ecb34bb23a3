import Longwave

/// An answer that reports an error: a status, a code for programs, a sentence for people.
public struct APIError: Error, Hashable, Sendable {
  public var status: Int
  public var code: String
  public var message: String
  /// The field or parameter that caused the error.
  public var field: String?
  /// Further response fields, such as `Allow`.
  public var headers: [String: String] = [:]

  public init(_ status: Int, _ code: String, _ message: String, field: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.field = field
  }

  public var json: JSON {
    ["error": ["code": .string(code), "message": .string(message), "field": JSON(field)]]
  }
}

extension APIError {
  /// A body has a key that is none of those that are known there.
  static func unknownKey(_ key: String, among known: [String]) -> APIError {
    .badField(key, KeySuggestion.message(for: key, among: known))
  }

  /// Refuses a body that is no object, or has a key besides some.
  static func requireKnown(_ json: JSON, _ names: [String]) throws(APIError) {
    guard case .object(let members) = json else { throw badJSON }
    for member in members where !names.contains(member.key) {
      throw unknownKey(member.key, among: names)
    }
  }

  /// - Parameter id: The id as requested, which need not be a number.
  static func unknownListener(_ id: String) -> APIError {
    APIError(404, "unknown-listener", "There is no listener \(id).")
  }

  static func unknownBan(_ id: Int64) -> APIError {
    APIError(404, "unknown-ban", "There is no ban \(id).")
  }

  static func unknownRecording(_ id: Int64) -> APIError {
    APIError(404, "unknown-recording", "There is no recording \(id).")
  }

  static let noDashboard = APIError(
    404, "no-dashboard", "The dashboard is switched off by web: {enabled: false} or {admin: false}."
  )

  static let codeOver = APIError(
    403, "code-over",
    "The link of the dashboard was used, or is older than a minute; longwave dashboard makes another."
  )

  static let metricsDenied = APIError(
    403, "address-denied",
    "Your address may not read the metrics; send the admin token, or add the address to metrics: {allow: […]}."
  )

  static func noPart(_ part: Int?, of recording: Int64) -> APIError {
    let words = part.map { "Recording \(recording) has no file \($0)." }
    return APIError(404, "no-file", words ?? "Recording \(recording) has no file yet.")
  }

  static func notFound(_ path: String) -> APIError {
    APIError(404, notFoundCode, "There is nothing at \(path).")
  }

  static let notFoundCode = "not-found"

  static func wrongMethod(allowed: [String]) -> APIError {
    var error = APIError(
      405, "method-not-allowed", "Use \(allowed.joined(separator: " or ")) here.")
    error.headers["Allow"] = allowed.joined(separator: ", ")
    return error
  }

  static func badField(_ field: String, _ message: String) -> APIError {
    APIError(400, "bad-field", "\(field): \(message)", field: field)
  }

  static func badParameter(_ name: String, _ message: String) -> APIError {
    APIError(400, "bad-parameter", "\(name): \(message)", field: name)
  }

  static let badJSON = badJSON("write one: {…}")

  /// - Parameter why: The fault of the body.
  static func badJSON(_ why: String) -> APIError {
    APIError(400, "bad-json", "The body is not a JSON object: \(why).")
  }

  static func tooLarge(max: Int) -> APIError {
    APIError(413, "too-large", "The body is limited to \(max) bytes here.")
  }
}
