extension Programme {
  /// The stations that it plays: live, or as a source.
  public var stations: [String] {
    var seen: Set<String> = []
    return ([live?.station] + sources.map(\.station)).compactMap(\.self)
      .filter { seen.insert($0).inserted }
  }

  /// Returns stations of which each plays the next, and the last one the first; nil: no station would play itself.
  ///
  /// - Parameter played: The stations that each station plays or is made of, by ids.
  public static func circle(_ played: [String: [String]]) -> [String]? {
    var done: Set<String> = []
    for start in played.keys.sorted() where !done.contains(start) {
      // The path to the station that is looked at, each with those of its stations that were not yet.
      var path: [(id: String, left: ArraySlice<String>)] = [
        (start, played[start, default: []][...])
      ]
      var known: Set<String> = [start]
      while let last = path.indices.last {
        guard let next = path[last].left.popFirst() else {
          done.insert(path.removeLast().id)
          continue
        }
        if done.contains(next) { continue }
        // What is known and not done lies on the path.
        guard known.insert(next).inserted else {
          return path.drop { $0.id != next }.map(\.id)
        }
        path.append((next, played[next, default: []][...]))
      }
    }
    return nil
  }
}
