import Longwave
import Server
import Wire

/// One operation of the API: its path, its audience, its parameters, its answer and its handler.
///
/// The router and the description of the API read one list of operations, so they always agree.
struct Operation: Sendable {
  /// The operation's name in programs that are made from the description.
  let name: String
  let method: String
  let path: PathTemplate
  /// One sentence for people.
  let summary: String
  let terms: Terms
  let parameters: [Parameter]
  /// The schema of the request's body; nil when there is no body.
  let body: String?
  /// The most bytes of the body.
  let bodyBytesMax: Int
  let answer: Answer
  /// Further answers that are no errors of the usual form.
  let otherwise: [Answer]
  /// The statuses of the errors that the operation's own parameters and body can cause.
  let errors: [Int]
  /// Makes the handler; nil where the loops answer, see `ServedPath`.
  let answering: Answering?

  /// - Parameter hasEffect: Whether a request changes anything; nil means all methods but GET do.
  init(
    _ method: String, _ path: PathTemplate, _ name: String, _ summary: String,
    by audience: Terms.Audience = .everybody, hasEffect: Bool? = nil, takesForm: Bool = false,
    takesList: Bool = false, endsWithClient: Bool = false, _ parameters: [Parameter] = [],
    takes body: String? = nil,
    upTo bodyBytesMax: Int = ServerConfiguration.bodyBytesMax,
    answers answer: Answer, or otherwise: [Answer] = [], errors: [Int] = [],
    answeredBy answering: Answering?
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    terms = Terms(
      audience: audience, hasEffect: hasEffect ?? (method != "GET"), takesForm: takesForm,
      takesList: takesList, endsWithClient: endsWithClient)
    self.parameters = parameters
    self.body = body
    self.bodyBytesMax = body == nil ? ServerConfiguration.shortBodyBytesMax : bodyBytesMax
    self.answer = answer
    self.otherwise = otherwise
    self.errors = errors
    self.answering = answering
  }

  /// Refuses a query of the API that has a key twice, a slip of one, or one that means nothing here.
  ///
  /// Keys of others are let be, as at streams: caches and pages append them.
  func check(_ query: HTTPQuery) throws(APIError) {
    guard path.text.utf8.starts(with: "/api/".utf8) else { return }
    let known = parameters.filter { $0.place == .query }.map(\.name)
    for item in query.items {
      if known.contains(item.key) {
        guard query.count(of: item.key) > 1 else { continue }
        throw APIError.badParameter(item.key, "is given twice; give it once")
      }
      if let meant = QuerySlip.meant(by: item.key, known: known) {
        throw APIError.badParameter(item.key, "is not known; did you mean \(meant)?")
      }
      if ["bitrate", "reverse"].contains(item.key) {
        throw APIError.badParameter(
          item.key, "is for streams, clips and files; it means nothing here, so leave it out")
      }
    }
  }

  /// Returns the handler for a path of as many parts as the row's; nil when it belongs to another operation.
  func handler(at parts: [Substring.UTF8View]) -> Call.Handler? {
    guard let answering, let values = path.match(parts) else { return nil }
    return answering.handler(values)
  }
}

// Initializers for the rows of the table.
extension Operation {
  /// Describes what the loops answer themselves.
  init(
    _ path: ServedPath, _ summary: String, _ parameters: [Parameter] = [],
    takes body: String? = nil, answers answer: Answer, or otherwise: [Answer] = [], errors: [Int]
  ) {
    self.init(
      path.method, PathTemplate(stringLiteral: path.pattern.text), path.name, summary, parameters,
      takes: body, answers: answer, or: otherwise, errors: errors, answeredBy: nil)
  }

  init(
    _ method: String, _ path: PathTemplate, _ name: String, _ summary: String,
    by audience: Terms.Audience = .everybody, endsWithClient: Bool = false,
    _ parameters: [Parameter] = [], takes body: String? = nil,
    answers answer: Answer, or otherwise: [Answer] = [], errors: [Int] = [],
    _ handler: @escaping Call.Handler
  ) {
    self.init(
      method, path, name, summary, by: audience, endsWithClient: endsWithClient, parameters,
      takes: body, answers: answer, or: otherwise, errors: errors, answeredBy: Answering(handler))
  }

  /// Makes the operation of a path with one part in braces, which becomes a value of the handler's type.
  init<Part: PathPart>(
    _ method: String, _ path: PathTemplate, _ name: String, _ summary: String,
    by audience: Terms.Audience = .everybody, _ parameters: [Parameter] = [],
    takes body: String? = nil,
    upTo bodyBytesMax: Int = ServerConfiguration.bodyBytesMax, answers answer: Answer,
    or otherwise: [Answer] = [], errors: [Int] = [],
    _ handler: @escaping @Sendable (Call, Part) async throws -> APIResponse
  ) {
    self.init(
      method, path, name, summary, by: audience, parameters, takes: body, upTo: bodyBytesMax,
      answers: answer, or: otherwise, errors: errors, answeredBy: Answering(handler))
  }
}
