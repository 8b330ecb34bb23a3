import CCurl

/// What libcurl says of itself. The corresponding C function is `curl_version_info`.
public enum CurlLibrary {
  /// Such as `8.14.1 (OpenSSL/3.5.4)`.
  public static var version: String? {
    guard let number = text(\.version) else { return nil }
    return text(\.ssl_version).map { "\(number) (\($0))" } ?? number
  }

  /// Where it looks for the certificates of authorities, unless told otherwise.
  public static var certificateFile: String? { text(\.cainfo) }
  public static var certificateFolder: String? { text(\.capath) }

  private static func text(
    _ field: KeyPath<curl_version_info_data, UnsafePointer<CChar>?>
  ) -> String? {
    // The first that tells of certificates.
    guard let info = curl_version_info(CURLVERSION_SEVENTH) else { return nil }
    return info.pointee[keyPath: field].map { String(cString: $0) }
  }
}
