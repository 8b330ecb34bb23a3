import Longwave
import Server
import Wire

/// A value for a part in braces. Where the text is no such value, the path belongs to another operation.
protocol PathPart: Sendable {
  init?(pathPart text: String)
}

extension String: PathPart {
  init?(pathPart text: String) { self = text }
}

extension UInt64: PathPart {
  init?(pathPart text: String) { self.init(text) }
}

extension Int64: PathPart {
  init?(pathPart text: String) { self.init(text) }
}

extension SessionToken: PathPart {
  init?(pathPart text: String) { self.init(text) }
}
