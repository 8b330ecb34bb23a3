import Longwave
import Server
import Wire

/// Keeps pages of other sites from changing anything through a browser in which a password is stored.
///
/// A browser says for which page it asks. Browsers send `Sec-Fetch-Site` (W3C Fetch Metadata) where they trust the
/// connection. They send `Origin` with every request but GET and HEAD (fetch.spec.whatwg.org, section 3.2), and
/// `Referer` unless the page hides it. Programs send none of these fields and are not refused.
enum ForeignPage {
  /// Throws when a page of another site has made a request that changes something.
  static func refuse(_ request: APIRequest) throws(APIError) {
    guard request.origin != .unixSocket, isForeign(request.head, base: request.base) else { return }
    throw APIError(
      403, "foreign-page",
      "Nothing is changed here for pages of other sites; ask by a program, such as longwave or curl."
    )
  }

  /// Whether a request comes from a browser, for a page that is not this server's or that hides its address.
  static func isForeign(_ head: HTTPRequestHead, base: String) -> Bool {
    let fields = head.fields
    if let site = fields["Sec-Fetch-Site"]?.lowercased() {
      return site != "same-origin" && site != "none"
    }
    let own = [head.host, authority(of: base)].compactMap { $0.map(bare) }
    if let page = fields["Origin"] ?? fields["Referer"] {
      return authority(of: page).map { !own.contains(bare($0)) } ?? true
    }
    return isHidden(head)
  }

  /// Whether a browser hides the page for which it asks. Over plain HTTP an `<img>` of a page that hides its address
  /// sends none of the three fields, but still the fields of a browser. Encoders also call themselves Mozilla, since
  /// SHOUTcast wants it: they must stay able to announce titles, so `Accept-Language` decides.
  private static func isHidden(_ head: HTTPRequestHead) -> Bool {
    let (fields, method) = (head.fields, head.method)
    return (method == "GET" || method == "HEAD") && fields["Accept-Language"] != nil
      && fields["User-Agent"]?.hasPrefix("Mozilla/") == true
  }

  /// Returns the host and port of a URL; nil for `null`, the name of a page in a sandbox.
  private static func authority(of url: String) -> String? {
    guard let colon = url.firstRange(of: "://") else { return nil }
    let authority = url[colon.upperBound...].prefix { !"/?#".contains($0) }
    return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
  }

  /// Returns an authority without a default port, because a proxy in front may speak HTTPS where this server does not.
  private static func bare(_ authority: String) -> String {
    let plain = authority.lowercased()
    for port in [":80", ":443"] where plain.hasSuffix(port) {
      return String(plain.dropLast(port.count))
    }
    return plain
  }
}
