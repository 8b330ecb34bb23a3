import Glibc
import Reactor
import Wire

/// The way of one request: the URL that the configuration or a list names, and where redirects lead from there.
///
/// A public server may redirect to public servers only, never to this site or machine: such servers would answer the
/// relay, not that server. The address is checked when a socket is opened, so no name can lie. Behind a proxy the URL's
/// host is checked.
struct TransferRoute {
  static let redirectsMax = 10
  static let forbidden = "allow-private: true admits it"

  /// The URL in the form that libcurl accepts.
  private(set) var url: String
  /// The scope of the server that led here; nil if the configuration itself names this URL.
  private(set) var lead: AddressScope?
  /// Why the way ends here, if no connection was made.
  private(set) var refusal: String?
  /// Why no address at all may be used from here.
  private var obstacle: String?
  private var redirects = 0
  /// Whether the way may lead everywhere.
  private let isFree: Bool
  /// Whether the way stays with its first server, as for pages, which have no mirrors.
  private let staysPut: Bool
  /// Whether the configuration names a proxy; otherwise libcurl uses one of the environment.
  private let hasProxy: Bool
  private let scopes: (SocketAddress) -> AddressScope

  init(_ request: TransferRequest, scopes: @escaping (SocketAddress) -> AddressScope) {
    url = CurlURL.acceptable(request.url)
    lead = request.lead
    isFree = request.allowsPrivate
    staysPut = request.isPage
    hasProxy = request.proxy != nil
    self.scopes = scopes
    if lead != nil { obstacle = problem }
  }

  var origin: URLOrigin? { URLText.origin(url) }

  /// Whether this URL goes through a proxy: another scheme may have another proxy, or none.
  private var isProxied: Bool {
    hasProxy || Self.proxied.contains(origin?.scheme ?? "")
  }

  /// Whether `no_proxy` is ignored: URLs named by other servers always use the proxy, or `no_proxy` would be a way
  /// round it.
  var ignoresProxyExceptions: Bool { isProxied && !isFree && lead != nil && writtenScope == .world }

  /// Whether a socket to this address, one of several of a name, may be opened; if not, sets `refusal`.
  mutating func admits(_ address: SocketAddress?) -> Bool {
    if let obstacle { return refuse(obstacle) }
    if isProxied { return true }
    guard let address else { return refuse("the address is of no kind that is known") }
    return mayLead(to: scopes(address)) || refuse(Self.refusal(scopes(address)))
  }

  /// The scope of the server that answers; `peer` is the other end of the connection.
  func scope(of peer: SocketAddress?) -> AddressScope {
    isProxied ? writtenScope : peer.map(scopes) ?? .world
  }

  /// Goes on to the target of a Location line. False: this is not allowed, and `refusal` says why.
  mutating func follow(_ location: [UInt8], from scope: AddressScope) -> Bool {
    guard redirects < Self.redirectsMax else {
      return refuse("more than \(Self.redirectsMax) redirects")
    }
    let next: String
    do throws(URLText.Problem) {
      next = try URLText.redirect(to: location, from: url)
    } catch {
      return refuse("redirected to \(error)")
    }
    let before = origin
    if staysPut, !Self.isSameServer(before, URLText.origin(next)) {
      return refuse("redirected to another server, which a page may not be")
    }
    // A password is sent only to the server that it was given for.
    url = URLText.origin(next) == before ? URLText.withCredentials(of: url, next) : next
    url = CurlURL.acceptable(url)
    redirects += 1
    lead = scope
    refusal = nil
    return problem.map { refuse($0) } ?? true
  }

  /// Whether both are one host and port, or `other` is HTTPS on port 443 of the host at port 80.
  private static func isSameServer(_ one: URLOrigin?, _ other: URLOrigin?) -> Bool {
    guard let one, let other, one.host == other.host else { return false }
    let encrypts = one.port == 80 && other.scheme == "https" && other.port == 443
    return encrypts || (one.port == other.port && one.scheme == other.scheme)
  }

  private mutating func refuse(_ reason: String) -> Bool {
    refusal = reason
    return false
  }

  /// The fault of a URL that another server named; nil if the URL shows none.
  private var problem: String? {
    guard let origin else { return "it leads to what is neither http nor https" }
    // libcurl decodes the host and cuts off a zone after this check.
    if origin.host.contains("%") { return "its host is not written plainly" }
    if Self.otherPorts.contains(origin.port) { return "port \(origin.port) is not for HTTP" }
    if isProxied && !mayLead(to: writtenScope) { return Self.refusal(writtenScope) }
    return nil
  }

  private func mayLead(to scope: AddressScope) -> Bool {
    isFree || lead?.mayLead(to: scope) ?? true
  }

  private static func refusal(_ scope: AddressScope) -> String {
    let place =
      switch scope {
      case .machine: "this machine"
      case .site, .link: "a private address"
      case .nowhere, .world: "an address that no server has"
      }
    return "led to \(place) from outside; \(forbidden)"
  }

  /// The scope of the URL's host if it is written as an address; a name shows nothing.
  private var writtenScope: AddressScope {
    guard let host = origin?.host else { return .world }
    if host == "localhost" || host.hasSuffix(".localhost") { return .machine }
    return Self.address(writtenAs: host).map(scopes) ?? .world
  }

  /// The address that a host is written as; nil for a name.
  private static func address(writtenAs host: String) -> SocketAddress? {
    if let address = SocketAddress(host: host, port: 0) { return address }
    // inet_aton(3) and libcurl read 0x7f.1 and 2130706433 as 127.0.0.1.
    var four = in_addr()
    guard inet_aton(host, &four) != 0 else { return nil }
    return .ipv4(UInt32(bigEndian: four.s_addr), port: 0)
  }

  /// Whether the way needs a name looked up: the server's, or that of a proxy.
  var looksUpName: Bool {
    isProxied || origin.map { Self.address(writtenAs: $0.host) == nil } ?? true
  }

  /// The schemes for which the environment names a proxy, as libcurl reads it: `http_proxy` in lower case only.
  private static let proxied = proxied { name in getenv(name).map { $0.pointee != 0 } ?? false }

  static func proxied(_ isSet: (String) -> Bool) -> Set<String> {
    let all = ["all_proxy", "ALL_PROXY"]
    let names = ["http": ["http_proxy"] + all, "https": ["https_proxy", "HTTPS_PROXY"] + all]
    return Set(names.filter { $0.value.contains(where: isSet) }.keys)
  }

  /// Ports that browsers refuse as well (Fetch standard, port blocking): other services might read a request's lines as
  /// their own.
  private static let otherPorts: Set<UInt16> = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
  ]
}
