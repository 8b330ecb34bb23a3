import Programmes
import Wire

extension Source {
  /// The folder or list of this machine; nil for any other source.
  var path: String? {
    switch self {
    case .folder(let path), .list(let path): path
    case .collection, .url, .station: nil
    }
  }
}

extension Programme {
  /// The folders and lists that the programme names, with their places in the file.
  var places: [(key: String, source: Source)] {
    let all =
      rules.places
      + parts.enumerated().flatMap { index, part in
        part.rules.places.map { ("parts[\(index)].\($0.key)", $0.source) }
      }
    return all.filter { $0.1.path != nil }.map { ("programme.\($0.0)", $0.1) }
  }
}

extension PlayRules {
  fileprivate var places: [(key: String, source: Source)] {
    let (key, sources): (String, [Source]) =
      switch choice {
      case nil: ("play", [])
      case .play: ("play", choice?.sources ?? [])
      case .wheel: ("wheel", choice?.sources ?? [])
      }
    let played = sources.enumerated().map { (sources.count == 1 ? key : "\(key)[\($0)]", $1) }
    let inserted = (inserts ?? []).enumerated().map { ("insert[\($0)].play", $1.source) }
    return played + inserted
  }
}
