import Server

/// One thing that can be asked of the server: where, by whom, with what, and what comes of it.
///
/// The router and the description of the API read the same list of these, so neither can know what the other does not.
struct Operation: Sendable {
  enum Audience { case everybody, administrators }

  /// What programs made from the description call it.
  let name: String
  let method: String
  let path: PathTemplate
  /// One sentence for people.
  let summary: String
  let audience: Audience
  let parameters: [Parameter]
  /// The schema of the request's body; nil: there is none.
  let body: String?
  /// How long the body may be, in bytes.
  let bodyBytesMax: Int
  let answer: Answer
  /// What is answered when not all is well, where that is no error of the usual shape.
  let otherwise: Answer?
  /// The statuses of the errors that its own parameters and body can bring about.
  let errors: [Int]
  /// What it is to the router, given the path's parts in braces; nil: answered by the loops, see `Server.Routes`.
  let route: (@Sendable ([String]) -> Route?)?

  init(
    _ method: String, _ path: PathTemplate, _ name: String, _ summary: String,
    by audience: Audience = .everybody, _ parameters: [Parameter] = [], takes body: String? = nil,
    upTo bodyBytesMax: Int = ServerConfiguration.bodyBytesMax,
    answers answer: Answer, or otherwise: Answer? = nil, errors: [Int] = [],
    route: (@Sendable ([String]) -> Route?)?
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.summary = summary
    self.audience = audience
    self.parameters = parameters
    self.body = body
    self.bodyBytesMax = body == nil ? ServerConfiguration.shortBodyBytesMax : bodyBytesMax
    self.answer = answer
    self.otherwise = otherwise
    self.errors = errors
    self.route = route
  }

  /// Whether administrators are shown more than everybody.
  var showsAdministratorsMore: Bool {
    audience == .everybody && route?(["1", "1"])?.showsAdministratorsMore == true
  }
}

/// A path whose parts in braces stand for any one part: `/api/v1/stations/{station}`.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
  enum Part: Hashable, Sendable {
    case fixed(String)
    case any(String)
  }

  let text: String
  let parts: [Part]

  init(stringLiteral text: String) {
    self.text = text
    parts = text.split(separator: "/").map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? .any(String(part.dropFirst().dropLast())) : .fixed(String(part))
    }
  }

  /// The names in braces; `/{station}.m3u` has one as well.
  var names: [String] {
    text.split(separator: "{").dropFirst().map { String($0.prefix { $0 != "}" }) }
  }

  /// What stands where the braces are; nil: another path.
  func match(_ path: [String]) -> [String]? {
    guard path.count == parts.count else { return nil }
    var values: [String] = []
    for (part, text) in zip(parts, path) {
      switch part {
      case .fixed(let fixed): if fixed != text { return nil }
      case .any: values.append(text)
      }
    }
    return values
  }
}

extension Operation {
  /// A parameter in the query or the header.
  struct Parameter: Sendable {
    enum Place: String { case query, header }

    let name: String
    let place: Place
    let schema: JSON
    let summary: String
    let isRequired: Bool

    init(
      _ name: String, in place: Place = .query, _ schema: JSON = Schema.text, _ summary: String,
      isRequired: Bool = false
    ) {
      self.name = name
      self.place = place
      self.schema = schema
      self.summary = summary
      self.isRequired = isRequired
    }
  }

  /// What is answered when all goes well.
  struct Answer: Sendable {
    let status: Int
    /// By media type; empty: there is no body.
    let content: [(mediaType: String, schema: JSON)]

    /// - Parameter schema: one of the description's shapes.
    static func json(_ schema: String, status: Int = 200) -> Answer {
      Answer(status: status, content: [("application/json", Schema.named(schema))])
    }

    static func text(_ mediaType: String, status: Int = 200) -> Answer {
      Answer(status: status, content: [(mediaType, Schema.text)])
    }

    static let nothing = Answer(status: 204, content: [])
  }
}
