import Threads

extension ThreadFigures: ShapedObject {
  package static let shape: [Shape<Self>] = [Shape("threads", \.kinds), Shape("lanes", \.lanes)]

  /// Reads the figures from a relay's answer; nil when that says nothing of threads.
  package init?(_ json: JSON) {
    guard case .array(let threads)? = json["threads"], case .array(let lanes)? = json["lanes"]
    else { return nil }
    self.init()
    kinds = threads.compactMap { thread in
      guard let name = thread.name else { return nil }
      return Kind(name: name, count: thread.count("count"))
    }
    self.lanes = lanes.compactMap { lane in
      guard let name = lane.name else { return nil }
      return Lane(
        name: name, busy: lane.count("busy"), limit: lane.count("limit"),
        waiting: lane.count("waiting"))
    }
  }
}

extension ThreadFigures.Kind: ShapedObject {
  package static let shape: [Shape<Self>] = [Shape("name", \.name), Shape("count", \.count)]
}

extension ThreadFigures.Lane: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("name", \.name), Shape("busy", \.busy), Shape("limit", \.limit),
    Shape("waiting", \.waiting),
  ]
}

extension JSON {
  fileprivate var name: String? {
    if case .string(let name)? = self["name"] { name } else { nil }
  }

  fileprivate func count(_ key: String) -> Int {
    if case .integer(let count)? = self[key] { Int(clamping: count) } else { 0 }
  }
}
