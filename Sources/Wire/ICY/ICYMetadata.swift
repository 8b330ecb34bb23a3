/// The contents of one ICY block.
public struct ICYMetadata: Hashable, Sendable {
  /// A key that is neither `StreamTitle` nor `StreamUrl`, or a second one of these.
  public struct Field: Hashable, Sendable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// `StreamTitle`; nil if the block has none, empty if it announces nothing.
  public var title: String?
  /// `StreamUrl`.
  public var url: String?
  /// All other fields in the block's order; at most 32.
  public var others: [Field]

  public init(title: String? = nil, url: String? = nil, others: [Field] = []) {
    self.title = title
    self.url = url
    self.others = others
  }

  /// The first value of a key in `others`, compared in any case.
  public subscript(key: String) -> String? {
    others.first { ASCII.equalIgnoringCase($0.key, key) }?.value
  }

  /// The fields that may be passed on: `others` without further `StreamTitle` and `StreamUrl`.
  public var extras: [Field] {
    others.filter {
      !ASCII.equalIgnoringCase($0.key, "StreamTitle")
        && !ASCII.equalIgnoringCase($0.key, "StreamUrl")
    }
  }
}
