import { expect, test } from "vitest"
import { headingsIn, symbolsIn } from "./outline.ts"

const symbols = (name: string, text: string) => symbolsIn(name, text).map(({ anchor, kind, name: each }) => `${anchor} ${kind} ${each}`)

test.each([
  [
    "a.ts",
    "import x\nexport async function f<T>() {\n  function inner() {}\n}\nexport default class A {}\ninterface B {}\nexport const c = 1\nconst d = 2\ntype E = 1\n",
    ["L2 function f", "L5 class A", "L6 interface B", "L7 const c", "L9 type E"],
  ],
  ["a.py", "x = 1\nclass A:\n    def m(self): pass\nasync def f(): pass\n", ["L2 class A", "L4 def f"]],
  ["a.go", "package x\nfunc (a *A) M() {\nfunc F() {\ntype T struct {\n", ["L2 func M", "L3 func F", "L4 type T"]],
  ["a.rs", "pub(crate) async fn f() {}\nstruct S;\nimpl<T> Display for S {\n", ["L1 fn f", "L2 struct S", "L3 impl Display for S"]],
  ["A.java", "package a;\npublic final class A {\n  void m() {}\n}\nrecord R(int a) {}\n", ["L2 class A", "L5 record R"]],
  [
    "a.c",
    "#include <x>\nint f(void);\nstatic int *g(int a,\n  int b) {\n  return h(1)\n}\nstruct s {\nstruct t x;\n",
    ["L3  g", "L7 struct s"],
  ],
  ["a.rb", "module A\n  class B\nend\ndef f?\n", ["L1 module A", "L4 def f?"]],
  ["a.sh", "f() {\nfunction g-h() {\necho x()\n", ["L1  f", "L2  g-h"]],
  ["a.sql", "create table if not exists a (\nCREATE OR REPLACE VIEW b AS\nselect 1\n", ["L1 table a", "L2 VIEW b"]],
  ["Makefile", "all: a b\nX := 1\n\techo\n", ["L1  all"]],
  ["a.txt", "function f() {}\n", []],
])("the definitions of %s", (name, text, expected) => {
  expect(symbols(name, text)).toEqual(expected)
})

test("definitions are found in linear time, and not more than a page holds", () => {
  for (const name of ["a.ts", "a.c", "a.rs", "a.go", "a.sql", "a.py"])
    for (const piece of ["public ", "a ", "pub(", "impl<", "func (", "create or replace ", "a<,*&:"]) {
      const began = performance.now()
      symbolsIn(name, `${piece.repeat(100_000 / piece.length)}\n`.repeat(20))
      symbolsIn(name, `${piece.repeat(300 / piece.length)}\n`.repeat(5_000))
      expect([name, piece, performance.now() - began < 3_000]).toEqual([name, piece, true])
    }
  expect(symbolsIn("a.py", "def f(): pass\n".repeat(1_000))).toHaveLength(300)
  expect(symbolsIn("a.py", `def ${"f".repeat(1_000)}(): pass\n`)[0]?.name).toHaveLength(100)
})

test("headings are read as they are rendered", () => {
  const rendered =
    '<h2 id="user-content-a--b">A &amp; <code>&lt;b&gt;</code></h2><p>x</p><h3 dir="auto" id="user-content-c">C</h3><h3>no anchor</h3>'
  expect(headingsIn(rendered)).toEqual([
    { anchor: "user-content-a--b", name: "A & <b>", kind: "", level: 1 },
    { anchor: "user-content-c", name: "C", kind: "", level: 2 },
  ])
  expect(headingsIn("")).toEqual([])
})
