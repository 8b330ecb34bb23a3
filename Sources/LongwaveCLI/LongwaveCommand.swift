@main
struct LongwaveCommand {
  static func main() {}
}
