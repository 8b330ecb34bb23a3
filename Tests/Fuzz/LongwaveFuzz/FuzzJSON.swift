@testable import Wire

extension FuzzTarget {
  /// A request's body.
  static let json = FuzzTarget(
    name: "json",
    seeds: [
      #"{"action":"seek","seconds":-1.5e2,"at":null,"x":[true,false,{"y":[]}]}"#,
      #""\u00e9\n\ud83d\ude00\"\\\/""#, "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", "[{},{},{}]",
      "9223372036854775808", "{\"a\":1,\"a\":2}",
    ].map(\.bytes)
  ) { bytes in
    var scanner = JSONScanner(bytes, depthMax: 16)
    var (tokens, depth) = (0, 0)
    do throws(JSONScanner.Failure) {
      while let token = try scanner.next() {
        tokens += 1
        switch token {
        case .objectStart, .arrayStart: depth += 1
        case .objectEnd, .arrayEnd: depth -= 1
        case .number(let number): promise(number.isFinite, "a number beyond all bounds")
        case .key, .string, .integer, .bool, .null: break
        }
        promise((0...16).contains(depth), "\(depth) deep")
        promise(tokens <= bytes.count, "more tokens than bytes")
      }
      promise(depth == 0 && tokens > 0, "an end that is none")
    } catch {
      promise((0...bytes.count).contains(error.offset), "a place that is none")
    }
  }
}
