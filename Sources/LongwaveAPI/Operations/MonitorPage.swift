import Longwave
import Server
import Wire

/// A page of Icecast or SHOUTcast, perhaps with several paths. Every path answers GET, as these servers always did, and
/// POST with the query as a form, as libshout sends it.
struct MonitorPage {
  let name: String
  let summary: String
  /// The paths, each with the part of the operation's name that tells the paths apart.
  let paths: [(suffix: String, path: PathTemplate)]
  var audience = Terms.Audience.everybodyInPart
  /// Whether a request changes anything, which on these pages even GET may do.
  var hasEffect = false
  var parameters: [Operation.Parameter] = []
  let answer: Operation.Answer
  var errors: [Int] = []
  let handler: Call.Handler

  /// The most bytes of a form: the longest title in percent escapes, and its other fields.
  private static let formBytesMax = 16 * 1024

  var operations: [Operation] {
    paths.flatMap { suffix, path in
      [("GET", ""), ("POST", "ByForm")].map { method, ending in
        Operation(
          method, path, name + suffix + ending, summary, by: audience, hasEffect: hasEffect,
          takesForm: true, method == "GET" ? parameters : [],
          takes: method == "GET" ? nil : "Form", upTo: Self.formBytesMax, answers: answer,
          errors: errors, answeredBy: Answering(handler))
      }
    }
  }
}

extension MonitorPage {
  static let sid = Operation.Parameter(
    "sid", "SHOUTcast's number of the station; the first one unless given.")
  static let mount = Operation.Parameter("mount", "The station's path, such as /jazz.")
  static let neededMount = Operation.Parameter(
    "mount", "The station's path, such as /jazz.", isRequired: true)
  static let announcement = announcement(
    Operation.Parameter("mode", ["enum": ["updinfo"]], "The action; there is no other."))

  static func announcement(_ mode: Operation.Parameter) -> [Operation.Parameter] {
    [mode] + words
  }

  private static let words = [
    Operation.Parameter("song", "Artist and title in one; or artist and title apart."),
    Operation.Parameter("artist", "The artist."),
    Operation.Parameter("title", "The title."),
    Operation.Parameter("url", "A page or a picture that belongs to it."),
    Operation.Parameter(
      "charset", "The charset of these words, where they are not UTF-8; else the station's counts."),
  ]

  /// Announces a title. A source announces it for its own station, which it need not name.
  static func announce(_ call: Call) async throws -> APIResponse {
    if case .source(let station) = call.right {
      return try await call.monitor.announce(on: station)
    }
    return try await call.monitor.announce()
  }
}

extension Call {
  /// Answers monitors with this request's query or form.
  var monitor: MonitorAnswers {
    MonitorAnswers(
      relay: relay, kept: isAdmin ? nil : shared, base: request.base,
      query: MonitorQuery(request.headWithForm.query), origin: request.origin,
      isPage: request.head.path.hasSuffix(".xsl"))
  }
}

extension Operation {
  static let monitors =
    MonitorPage.shoutcast.flatMap(\.operations) + MonitorPage.icecast.flatMap(\.operations)
}
