import { operations } from "../../src/operations.ts"
import { sweep } from "../support/sample.ts"
import { describeFailingStatements } from "./statements.ts"

for (const { kind, parts } of sweep(operations.filter(({ method }) => method !== "GET"))) describeFailingStatements(kind, parts)
