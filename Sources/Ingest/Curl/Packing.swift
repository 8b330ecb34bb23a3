/// What a response says of how its body is packed.
struct Packing {
  /// Of Content-Encoding and Transfer-Encoding, in lower case; without those that change nothing.
  private let content: [String]
  private let transfer: [String]

  init(_ fields: [TransferField]) {
    content = Self.codings(fields, "content-encoding")
    transfer = Self.codings(fields, "transfer-encoding")
  }

  /// Why the body is not taken; nil: it is. What is packed can become a thousand times as much, in layers a million
  /// times; of pages one layer is unpacked, as long as it stays a page.
  func refusal(isPage: Bool) -> String? {
    // libcurl unpacks it whether it has asked for it or not.
    if let coding = transfer.first(where: { $0 != "chunked" }) { return Self.reason(coding) }
    guard isPage else { return nil }
    if content.count > 1 { return Self.reason(content.joined(separator: ", ")) }
    return content.first { ["br", "zstd"].contains($0) }.map(Self.reason)
  }

  private static func reason(_ coding: String) -> String {
    "the answer is packed (\(coding.prefix(40))), which nobody asked for"
  }

  private static func codings(_ fields: [TransferField], _ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.flatMap { field in
      String(decoding: field.value, as: UTF8.self).lowercased().split { ", \t".contains($0) }
    }.map(String.init).filter { !["", "identity", "none"].contains($0) }
  }
}
