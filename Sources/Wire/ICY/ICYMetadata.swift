/// What one ICY block of an upstream says.
public struct ICYMetadata: Hashable, Sendable {
  /// A key that is neither `StreamTitle` nor `StreamUrl`, or one of these for a second time.
  public struct Field: Hashable, Sendable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// `StreamTitle`; nil when the block has none, empty when it says that nothing is announced.
  public var title: String?
  /// `StreamUrl`.
  public var url: String?
  /// Everything else, in the block's order; at most 32.
  public var others: [Field]

  public init(title: String? = nil, url: String? = nil, others: [Field] = []) {
    self.title = title
    self.url = url
    self.others = others
  }

  /// The first value of a key among the others, in any case.
  public subscript(key: String) -> String? {
    others.first { ASCII.equalIgnoringCase($0.key, key) }?.value
  }

  /// The others without further `StreamTitle` and `StreamUrl`: what may be passed on.
  public var extras: [Field] {
    others.filter {
      !ASCII.equalIgnoringCase($0.key, "StreamTitle")
        && !ASCII.equalIgnoringCase($0.key, "StreamUrl")
    }
  }
}
