import Longwave

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
      _ name: String, in place: Place = .query, _ schema: JSON, _ summary: String,
      isRequired: Bool = false
    ) {
      self.name = name
      self.place = place
      self.schema = schema
      self.summary = summary
      self.isRequired = isRequired
    }

    /// Makes a parameter whose value is any text.
    init(_ name: String, in place: Place = .query, _ summary: String, isRequired: Bool = false) {
      self.init(name, in: place, Schema.text, summary, isRequired: isRequired)
    }
  }

  /// The answer of a successful request.
  struct Answer: Sendable {
    let status: Int
    /// The schema for each media type; empty when there is no body.
    let content: [(mediaType: String, schema: JSON)]

    /// - Parameter schema: The name of a schema of the description.
    static func json(_ schema: String, status: Int = 200) -> Answer {
      Answer(status: status, content: [("application/json", Schema.named(schema))])
    }

    static func text(_ mediaType: String, status: Int = 200) -> Answer {
      Answer(status: status, content: [(mediaType, Schema.text)])
    }

    static let nothing = Answer(status: 204, content: [])

    /// A file of audio as a whole.
    static let audioFile = Answer(
      status: 200, content: ["audio/mpeg", "audio/aac", "audio/ogg"].map { ($0, [:]) })

    /// Parts of a file of audio; several come together.
    static let audioParts = Answer(
      status: 206,
      content: ["audio/mpeg", "audio/aac", "audio/ogg", "multipart/byteranges"].map { ($0, [:]) })

    /// The client names by its tag what it has already.
    static let unchanged = Answer(status: 304, content: [])

    /// A page for people, or an error for programs.
    static let missingPage = Answer(
      status: 404,
      content: [("text/html", Schema.text), ("application/json", Schema.named("Error"))])
  }
}
