import Longwave
import Wire

/// A request that queues what people have named: tracks, or files, in an order.
public struct QueueRequest: Hashable, Sendable {
  /// The field of the request's body: `track`, `path`, `url` or `collection`.
  public internal(set) var key: String
  public internal(set) var values: [String]

  /// The most that is queued at once: a queue has no more.
  public static let tracksMax = 500
  /// Bytes of the values of one request: a body has 64 KiB, in which a byte may take six.
  static let bytesMax = 48 << 10

  /// Returns the requests for some words, in the words' order.
  ///
  /// - Parameters:
  ///   - folder: the folder from which relative paths count.
  ///   - isFile: whether there is a file at a path.
  public static func all(
    _ words: [String], in folder: String, isFile: (String) -> Bool
  ) -> [QueueRequest] {
    var requests: [QueueRequest] = []
    var bytes = 0
    for word in words {
      let (key, value) = meaning(of: word, in: folder, isFile)
      let length = JSON.string(value).text.utf8.count + 1
      if let last = requests.last, last.key == key, bytes + length <= bytesMax {
        requests[requests.count - 1].values.append(value)
        bytes += length
      } else {
        requests.append(QueueRequest(key: key, values: [value]))
        bytes = length
      }
    }
    return requests
  }

  private static func meaning(
    of word: String, in folder: String, _ isFile: (String) -> Bool
  ) -> (key: String, value: String) {
    if TrackKey(word) != nil { return ("track", word) }
    if word.hasPrefix("http://") || word.hasPrefix("https://") { return ("url", word) }
    guard word.contains("/") || isFile(word) else { return ("collection", word) }
    let path = PathText.resolved(Array(word.utf8), in: Array(folder.utf8))
    return ("path", String(decoding: path, as: UTF8.self))
  }
}
