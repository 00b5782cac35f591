import { operations } from "../../src/operations.ts"
import { sweep } from "../support/sample.ts"
import { describeFailingStatements } from "./statements.ts"

/** What is made of several others, each of which is done or not: the merges of a stack. */
const IN_STEPS: ReadonlySet<string> = new Set(["repoMergePullRequestStack"])

const writes = operations.filter(({ id, method }) => method !== "GET" && !IN_STEPS.has(id))
for (const { kind, parts } of sweep(writes)) describeFailingStatements(kind, parts)
