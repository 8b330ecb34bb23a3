import Reactor
import Wire

/// A URL to request, and the options of the request.
struct TransferRequest {
  var url: String
  var userAgent: String
  /// The seconds for connecting.
  var connectTimeout: Double
  /// Whether this is a page of text and no stream: no ICY blocks are requested, it may be compressed, and its redirects
  /// stay on its server.
  var isPage = false
  /// Whether ICY blocks are asked for.
  var asksForTitles = true
  /// The servers that have answered such a request before.
  var titleServers: TitleServers?
  /// Header lines for the servers of `headerOrigins`, and for no other that a redirect leads to.
  var headers: [String] = []
  var headerOrigins: Set<URLOrigin> = []
  /// Header lines for every server on the way, by which relays know each other.
  var relayHeaders: [String] = []
  /// Header lines for the server of `url` only.
  var listHeaders: [String] = []
  /// The scope of the server that named the URL; nil if the configuration names it.
  var lead: AddressScope?
  /// Whether it may be led to private addresses from any scope.
  var allowsPrivate = false
  var proxy: String?
  var verifyTLS = true
  var caFile: String?
  /// Called with each step of the way to the answer.
  var onStep: ((TransferStep) -> Void)?
}

/// A step of a transfer's way to its answer.
enum TransferStep {
  /// A connection to this address, the server's or its proxy's, begins.
  case resolved(address: String)
  case connected(seconds: Double)
  case redirected(to: String)
  /// A program wrote this line on standard error.
  case said(String)
}
