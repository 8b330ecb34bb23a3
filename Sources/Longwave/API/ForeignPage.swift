import Server
import Wire

/// Keeps pages of other sites from doing things through the browser of somebody who has a password stored there.
///
/// A browser says on whose behalf it asks: by `Sec-Fetch-Site` (W3C Fetch Metadata) where it trusts the connection, by
/// `Origin` with every request but GET and HEAD (fetch.spec.whatwg.org, section 3.2), by `Referer` unless the page hides it.
/// Programs say nothing of all this, and are not meant.
enum ForeignPage {
  /// Throws where a page of another site is behind a request that changes something.
  static func refuse(_ request: APIRequest) throws(APIError) {
    guard request.origin != .unixSocket, isForeign(request.head, base: request.base) else { return }
    throw APIError(
      403, "foreign-page",
      "Nothing is changed here for pages of other sites; ask by a program, such as longwave or curl."
    )
  }

  /// Pure: whether it is a browser's, for a page that is not ours, or hides which one it is.
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

  /// Over plain HTTP an `<img>` of a page that hides its address says nothing at all, but for what browser it is.
  /// Encoders call themselves Mozilla as well, since SHOUTcast wants it: they may say what is playing.
  private static func isHidden(_ head: HTTPRequestHead) -> Bool {
    let (fields, method) = (head.fields, head.method)
    return (method == "GET" || method == "HEAD") && fields["Accept-Language"] != nil
      && fields["User-Agent"]?.hasPrefix("Mozilla/") == true
  }

  /// Host and port of a URL; nil of `null`, which is what a page in a sandbox is called.
  private static func authority(of url: String) -> String? {
    guard let colon = url.firstRange(of: "://") else { return nil }
    let authority = url[colon.upperBound...].prefix { !"/?#".contains($0) }
    return String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
  }

  /// Without the port that goes without saying: a proxy in front may speak HTTPS where we do not.
  private static func bare(_ authority: String) -> String {
    let plain = authority.lowercased()
    for port in [":80", ":443"] where plain.hasSuffix(port) {
      return String(plain.dropLast(port.count))
    }
    return plain
  }
}
