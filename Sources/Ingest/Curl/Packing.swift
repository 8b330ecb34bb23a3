/// The compression of a response's body, as its head declares it.
struct Packing {
  /// The codings of Content-Encoding and Transfer-Encoding, in lower case, without those that change nothing.
  private let content: [String]
  private let transfer: [String]

  init(_ fields: [TransferField]) {
    content = Self.codings(fields, "content-encoding")
    transfer = Self.codings(fields, "transfer-encoding")
  }

  /// Why the body is refused; nil if it is accepted.
  ///
  /// A compressed body can grow a thousandfold, in two layers a millionfold. Of a page one layer is unpacked, as long
  /// as the result stays a page.
  func refusal(isPage: Bool) -> String? {
    // libcurl unpacks a Transfer-Encoding even if it has not asked for one.
    if let coding = transfer.first(where: { $0 != "chunked" }) { return Self.reason(coding) }
    guard isPage else { return nil }
    if content.count > 1 { return Self.reason(content.joined(separator: ", ")) }
    return content.first { ["br", "zstd"].contains($0) }.map(Self.reason)
  }

  private static func reason(_ coding: String) -> String {
    "the answer is packed (\(coding.prefix(40))), which was not asked for"
  }

  private static func codings(_ fields: [TransferField], _ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.flatMap { field in
      String(decoding: field.value, as: UTF8.self).lowercased().split { ", \t".contains($0) }
    }.map(String.init).filter { !["", "identity", "none"].contains($0) }
  }
}
