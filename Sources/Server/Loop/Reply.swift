/// An answer on its way out, and what becomes of the connection behind it.
struct Reply {
  /// More than a client has reason to send ahead.
  static let aheadBytesMax = 16 * 1024

  private(set) var bytes: [UInt8]
  /// What is read while it is sent.
  enum Body {
    case clip(ClipBody)
    case file(FileBody)
  }

  /// What follows the bytes; nil: nothing.
  let body: Body?
  var sent = 0
  /// Whether another request may follow.
  private(set) var keepsAlive: Bool
  /// What the client has sent ahead of the answer.
  private(set) var ahead: [UInt8] = []

  init(_ bytes: [UInt8], body: Body? = nil, keepsAlive: Bool, ahead: [UInt8]) {
    self.bytes = bytes
    self.body = body
    self.keepsAlive = keepsAlive
    take(ahead)
  }

  var isOut: Bool { sent == bytes.count }

  mutating func take(_ input: some Collection<UInt8>) {
    guard keepsAlive else { return }
    if ahead.count + input.count > Self.aheadBytesMax {
      keepsAlive = false
      ahead = []
    } else {
      ahead.append(contentsOf: input)
    }
  }
}
