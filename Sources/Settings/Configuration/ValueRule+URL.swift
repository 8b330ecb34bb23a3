import Ingest
import Wire

// URLs, of which messages quote little.
extension ValueRule where Value == String {
  /// The rule for the address of a stream or a page.
  static var webURL: ValueRule { webURL() }

  /// - Parameter further: what may stand in its place, in words that follow it.
  static func webURL(or further: String = "") -> ValueRule {
    let wanted = "a URL that begins with http:// or https://\(further)"
    return ValueRule(wanted: wanted, secrecy: .inURL) { text throws(InvalidValue) in
      let url = URLText.escapingBlanks(text)
      guard WebURL.isValid(url) else { throw badURL(url, wanted) }
      try refuseTwo(text)
      return url
    }
  }

  /// The rule for the beginning of URLs; slashes at its end are left out.
  static var baseURL: ValueRule {
    ValueRule(wanted: webURL.wanted, secrecy: .inURL) { text throws(InvalidValue) in
      var url = try webURL.parse(text)
      while url.hasSuffix("/") { url.removeLast() }
      return url
    }
  }

  /// The rule for where a station's audio comes from: what `upstreamURL` is, or a sound input.
  static var upstream: ValueRule {
    ValueRule(wanted: upstreamURL.wanted, secrecy: .inURL) { text throws(InvalidValue) in
      guard SoundInput.isMeant(by: text) else { return try upstreamURL.parse(text) }
      guard SoundInput(text) != nil else {
        throw InvalidValue(
          quoting: text,
          "names no sound input; write alsa: and the device, such as alsa:default or alsa:hw:1,0 "
            + "(arecord -L lists them)")
      }
      return text
    }
  }

  /// The rule for what a station may be pulled from over the network.
  package static var upstreamURL: ValueRule {
    let wanted =
      "a URL that begins with http:// or https://, or push: for a source that connects here"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      // Inside [ ] YAML does not allow a word that ends in a colon.
      if text == "push" { return PushSource.url }
      let url = URLText.readingICY(URLText.escapingBlanks(text))
      if let address = URLText.beforeHeaderLines(url) {
        throw InvalidValue(
          quoting: URLText.withoutSecrets(address),
          "has header lines behind a bar, as Kodi's lists do; write the URL alone, and the lines as "
            + "user-agent and request-headers")
      }
      guard url == PushSource.url || WebURL.isValid(url) else { throw badURL(text, wanted) }
      try refuseTwo(text)
      return url
    }
  }

  private static var fileEndings: [String] {
    [".xml", ".json", ".txt", ".html", ".mp3", ".aac", ".ogg", ".m3u", ".m3u8", ".pls"]
  }

  /// Refuses two URLs in one text, of which the second would be of the first one's path.
  private static func refuseTwo(_ text: String) throws(InvalidValue) {
    let text = text.drop { $0 == " " }
    if text.contains(" http://") || text.contains(" https://") {
      throw InvalidValue("holds two URLs; write one, or several as a list")
    }
  }

  /// Of what is no URL little is quoted: a password may stand anywhere in it.
  private static func badURL(_ url: String, _ wanted: String) -> InvalidValue {
    let shown = URLText.withoutSecrets(url)
    if let problem = WebURL.problem(with: url) { return InvalidValue(quoting: shown, problem) }
    if let problem = WebURL.unclean(url) {
      let parts = WebURL.parts(of: shown)
      let place = parts.place.utf8.allSatisfy { $0 > 32 && $0 < 127 } ? parts.place : "…"
      return InvalidValue(quoting: "\(parts.scheme)://\(place)", problem)
    }
    let whole = "http://" + url
    let isBare = url.contains(".") && !url.contains(":/") && !url.contains("@")
    // "now.xml" is the name of a file.
    let isFile =
      fileEndings.contains { url.hasSuffix($0) } && !url.contains { "/:@ ".contains($0) }
    let meant =
      isBare && !isFile && !url.hasPrefix("/") && !url.hasPrefix(".") && WebURL.isValid(whole)
    let reason = "is not \(wanted)"
    if meant, !Secrecy.mayHoldPassword(whole) {
      return InvalidValue(quoting: url, "\(reason); did you mean \(whole)?")
    }
    let scheme = WebURL.parts(of: url).scheme
    if openSchemes.contains(scheme), !url.contains(" ") {
      return InvalidValue(quoting: shown, reason)
    }
    return isFile ? InvalidValue(quoting: url, reason) : InvalidValue("\(Secrecy.mask) \(reason)")
  }

  /// Schemes of URLs whose paths are no secrets; those of RTMP and SRT have the key of a stream.
  private static var openSchemes: Set<String> { ["ftp", "mms", "rtsp"] }
}
