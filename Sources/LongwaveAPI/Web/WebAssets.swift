import CWeb
import Server
import Wire

/// The files that browsers get besides pages: scripts, styles, pictures. They are part of the program.
struct WebAssets: Sendable {
  struct Asset: Sendable {
    let mediaType: String
    let body: [UInt8]
    /// The body compressed; nil where that saves nothing.
    let packed: [UInt8]?
    /// Names of the scripts that it imports at once.
    let imports: [String]
  }

  /// Read, linked and compressed once.
  static let shared = WebAssets()

  /// Names the content of all assets, so that what an address leads to never changes.
  let version: String
  private let byName: [String: Asset]

  private init() {
    var sources: [String: [UInt8]] = [:]
    var number = 0
    while let asset = cweb_asset_at(number) {
      let bytes = UnsafeBufferPointer(start: asset.pointee.bytes, count: asset.pointee.count)
      sources[String(cString: asset.pointee.name)] = Array(bytes)
      number += 1
    }
    do {
      byName = try Self.made(of: sources)
    } catch {
      // The tests make all assets of the same bytes.
      preconditionFailure("\(error)")
    }
    let all = byName.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + $0.value.body }
    version = EntityTag(of: all).opaque
  }

  private static func made(of sources: [String: [UInt8]]) throws(WebFault) -> [String: Asset] {
    var assets: [String: Asset] = [:]
    let scripts = sources.filter { $0.key.hasSuffix(".js") }
    for (name, script) in try WebLinker.link(scripts, WebLayer.all) {
      assets[name] = Asset(name, script.body, imports: script.imports)
    }
    for (name, source) in sources where assets[name] == nil {
      do throws(WebFault) {
        let body = name.hasSuffix(".css") ? try WebSource.style(source) : source
        assets[name] = Asset(name, body)
      } catch { throw error.of(name) }
    }
    return assets
  }

  subscript(_ name: String) -> Asset? { byName[name] }

  /// Returns the modules that a script imports at once, and those that they import: a page that names them loads all
  /// together.
  func modules(of script: String) -> [String] {
    var found: Set<String> = [script]
    var left = [script]
    while let name = left.popLast() {
      for other in byName[name]?.imports ?? [] where found.insert(other).inserted {
        left.append(other)
      }
    }
    return found.subtracting([script]).sorted()
  }

  /// Returns the address of an asset.
  func path(_ name: String) -> String { "/assets/\(version)/\(name)" }
}

extension WebAssets.Asset {
  fileprivate init(_ name: String, _ body: [UInt8], imports: [String] = []) {
    mediaType = Self.mediaType(of: name)
    self.body = body
    packed = Gzip.compress(body).flatMap { $0.count < body.count ? $0 : nil }
    self.imports = imports
  }

  private static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: "application/octet-stream"
    }
  }
}

extension WebAssets {
  /// Answers a request for an asset. A page that was open while the program was replaced asks by an old version; it gets
  /// what there is now, and may not keep it.
  func response(to call: Call, version asked: String, _ name: String) throws(APIError)
    -> APIResponse
  {
    try response(to: call, name, [asked == version ? CacheControl.immutable : CacheControl.none])
  }

  /// Scripts whose address never changes: pages of others name them, or their address says which pages they serve.
  static let stable: Set = ["player-element.js", "sw.js"]

  /// Answers a request for a script without a version.
  func response(toStable call: Call, _ name: String) throws(APIError) -> APIResponse {
    guard Self.stable.contains(name) else { throw APIError.notFound(call.request.head.path) }
    // A service worker serves pages below its own address only, unless this field allows more.
    let scope = HTTPFields.Field(name: "Service-Worker-Allowed", value: "/")
    return try response(
      to: call, name, [CacheControl.revalidate] + (name == "sw.js" ? [scope] : []))
  }

  private func response(to call: Call, _ name: String, _ fields: [HTTPFields.Field])
    throws(APIError) -> APIResponse
  {
    guard let asset = self[name] else { throw APIError.notFound(call.request.head.path) }
    var fields = fields
    fields.append(.init(name: "Vary", value: "Accept-Encoding"))
    let takesGzip = ContentCoding.preferred(by: call.request.head.fields) == .gzip
    guard takesGzip, let packed = asset.packed else {
      return .whole(status: 200, mediaType: asset.mediaType, body: asset.body, fields: fields)
    }
    fields.append(.init(name: "Content-Encoding", value: "gzip"))
    return .whole(status: 200, mediaType: asset.mediaType, body: packed, fields: fields)
  }
}
