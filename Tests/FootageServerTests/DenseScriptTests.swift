import Testing

@testable import FootageServer

@Suite struct DenseScriptTests {
  /// Scripts, and what is left of them.
  static let scripts: [(source: String, dense: String)] = [
    ("const a = 1;\nconst b = 2;\nlet c = a;", "let a=1,b=2,c=a;"),
    ("const f = () => { const x = 1; return x; };\nconst y = 2;", "let f=()=>{let x=1;return x},y=2;"),
    ("for (let i = 0; i < 9; i += 1) { let a = i; }", "for(let i=0;i<9;i+=1){let a=i}"),
    ("let a = 1;\nb();\nconst c = 3;", "let a=1;b();let c=3;"),
    ("let a = [1];\nif (a) {\n  b();\n}\nconst c = 3;", "let a=[1];if(a){b()}let c=3;"),
    ("class A {\n  #one = 1;\n\n  two() { return this.#one; }\n}", "class A{#a=1;two(){return this.#a}}"),
    ("function f() {\n}\nfunction g() {\n}", "function f(){}function g(){}"),
    ("a = 0.25 + 10.5 + b0.c + (d ? 0.5 : 1);", "a=.25+10.5+b0.c+(d?.5:1);"),
    ("f(1000, 86400000, 100, x1000, 0x1000, 1000.5, 0.1000);", "f(1e3,864e5,100,x1000,0x1000,1000.5,.1000);"),
    ("f('const a = 0.5;', `1000 ${b} null`, /0.5 1000/);", "f('const a = 0.5;',`1000 ${b} null`,/0.5 1000/);"),
    ("a = b ?? undefined;\nc = {null: null};\nd.null = true;", "a=b??void 0;c={null:N};d.null=!0;"),
  ]

  @Test(arguments: scripts.indices) func `a script means the same without what means nothing`(number: Int) {
    let (source, dense) = Self.scripts[number]
    #expect(DenseScript.text(source) == dense)
  }
}
