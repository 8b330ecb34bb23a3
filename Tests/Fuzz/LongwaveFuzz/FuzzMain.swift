import CFuzzer
import Glibc
import TestSupport

/// `LongwaveFuzz TARGET [libFuzzer's arguments]`, `LongwaveFuzz seeds DIRECTORY`, `LongwaveFuzz passes` for what the bound
/// on time is calibrated by, or nothing for the targets' names.
@main
enum FuzzMain {
  static func main() {
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "seeds" { return writeSeeds(to: words[2]) }
    if words.count == 2, words[1] == "passes" { return tellPasses() }
    guard words.count > 1, let target = FuzzTarget.all.first(where: { $0.name == words[1] }) else {
      for target in FuzzTarget.all { print(target.name) }
      exit(words.count > 1 ? 64 : 0)
    }
    run(target, arguments: [words[0]] + words.dropFirst(2))
  }

  /// libFuzzer calls a C function, which can have no context.
  private nonisolated(unsafe) static var running: FuzzTarget?

  private static func run(_ target: FuzzTarget, arguments: [String]) {
    running = target
    // libFuzzer keeps them, and the process ends with it.
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let status = pointers.withUnsafeMutableBufferPointer { pointers in
      var count = Int32(arguments.count)
      var start = pointers.baseAddress
      return LLVMFuzzerRunDriver(&count, &start) { data, size in
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        if let target = FuzzMain.running { FuzzTime.run(target, bytes) }
        return 0
      }
    }
    exit(status)
  }

  private static func tellPasses() {
    for target in FuzzTarget.all {
      let few = FuzzTime.passes(of: target, bytes: 64 * 1024)
      let many = FuzzTime.passes(of: target, bytes: 256 * 1024)
      print(
        "\(target.name): \(Int(few.0)) \(few.shape); four times as long: \(Int(many.0)) \(many.shape)"
      )
    }
  }

  /// Of a shape that is worst for somebody: enough to be timed.
  private static let shapeBytes = 32 * 1024

  /// `DIRECTORY/TARGET/0`, `1`, … and `DIRECTORY/dictionary`, of which libFuzzer puts words into inputs.
  private static func writeSeeds(to directory: String) {
    mkdir(directory, 0o755)
    let shapes = HostileShapes.all(bytes: shapeBytes).map(\.bytes)
    for target in FuzzTarget.all {
      let folder = "\(directory)/\(target.name)"
      mkdir(folder, 0o755)
      // Those of a target begin with what the rest is to be used for; any byte will do.
      let all = target.seeds + shapes.map { [2, 200, 200] + $0 }
      for (index, seed) in all.enumerated() { write(seed, to: "\(folder)/\(index)") }
    }
    write(dictionary, to: "\(directory)/dictionary")
  }

  /// One word a line, in quotes (llvm.org/docs/LibFuzzer.html, "Dictionaries").
  private static var dictionary: [UInt8] {
    let words = Set(HostileValues.all.filter { (1...64).contains($0.count) })
    let lines = words.map { word in
      "\"" + word.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
    return Array((lines.sorted().joined(separator: "\n") + "\n").utf8)
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else {
      perror(path)
      exit(73)
    }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
