#!/usr/bin/env node
// Brings the copies of the reference in this folder up to date: the contract, the player of scenarios and the scenarios.
//
//   node tests/sync-reference.mjs [FOLDER]     FOLDER holds reference/ and traces/; default: ../shared beside the checkout
//
// Run by hand. The copies are part of the project, so that its tests need nothing beside it. Scenarios that the reference no longer has are removed.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"

const tests = import.meta.dirname
const shared = resolve(process.argv[2] ?? join(tests, "../../shared"))
if (!existsSync(join(shared, "reference/contract.json")) || !existsSync(join(shared, "traces/scenarios"))) {
  console.error(`${shared} holds no reference; the copies stay as they are`)
  process.exit(1)
}

/** Copies one file, writable whatever the original is. */
function copy(from, to) {
  rmSync(to, { force: true })
  copyFileSync(from, to)
  chmodSync(to, 0o644)
}

for (const folder of ["contract", "traces/scenarios"]) mkdirSync(join(tests, folder), { recursive: true })
for (const name of ["contract.json", "contract.mjs"]) copy(join(shared, "reference", name), join(tests, "contract", name))
copy(join(shared, "traces/trace.mjs"), join(tests, "traces/trace.mjs"))

const scenarios = readdirSync(join(shared, "traces/scenarios")).filter((name) => name.endsWith(".json"))
for (const name of readdirSync(join(tests, "traces/scenarios")))
  if (!scenarios.includes(name)) rmSync(join(tests, "traces/scenarios", name))
for (const name of scenarios) copy(join(shared, "traces/scenarios", name), join(tests, "traces/scenarios", name))
console.log(`contract, player and ${scenarios.length} scenario files copied from ${shared}`)
