@main
struct LongwaveBenchCommand {
  static func main() {}
}
