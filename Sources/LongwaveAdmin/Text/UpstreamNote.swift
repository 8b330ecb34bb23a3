import Wire

/// What is to be known of an upstream before it is asked.
public enum UpstreamNote {
  /// Returns a warning of a URL that is probably HLS; nil for others.
  public static func hls(_ url: String) -> String? {
    let path = url.prefix { !"?#".contains($0) }
    guard path.lowercased().hasSuffix(".m3u8") else { return nil }
    return "\(URLText.withoutSecrets(url)) plays only if it is a list of streams: "
      + "HLS is not played yet"
  }
}
