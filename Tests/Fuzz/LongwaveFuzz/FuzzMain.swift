import CFuzzer
import Glibc

/// `LongwaveFuzz TARGET [libFuzzer's arguments]`, `LongwaveFuzz seeds DIRECTORY`, or nothing for the targets' names.
@main
enum FuzzMain {
  static func main() {
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "seeds" { return writeSeeds(to: words[2]) }
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
        FuzzMain.running?.run(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
      }
    }
    exit(status)
  }

  /// `DIRECTORY/TARGET/0`, `1`, …
  private static func writeSeeds(to directory: String) {
    mkdir(directory, 0o755)
    for target in FuzzTarget.all {
      let folder = "\(directory)/\(target.name)"
      mkdir(folder, 0o755)
      for (index, seed) in target.seeds.enumerated() {
        guard let file = fopen("\(folder)/\(index)", "w") else {
          perror(folder)
          exit(73)
        }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
      }
    }
  }
}
