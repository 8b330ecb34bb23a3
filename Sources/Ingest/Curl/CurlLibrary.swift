import CCurl

/// libcurl's own description. The corresponding C function is `curl_version_info`.
public enum CurlLibrary {
  /// The versions of libcurl and its TLS library, such as `8.14.1 (OpenSSL/3.5.4)`.
  public static var version: String? {
    guard let number = text(\.version) else { return nil }
    return text(\.ssl_version).map { "\(number) (\($0))" } ?? number
  }

  /// The file of authorities' certificates that libcurl reads, unless told otherwise.
  public static var certificateFile: String? { text(\.cainfo) }
  public static var certificateFolder: String? { text(\.capath) }

  private static func text(
    _ field: KeyPath<curl_version_info_data, UnsafePointer<CChar>?>
  ) -> String? {
    // The first version of this structure with the places of certificates.
    guard let info = curl_version_info(CURLVERSION_SEVENTH) else { return nil }
    return info.pointee[keyPath: field].map { String(cString: $0) }
  }
}
