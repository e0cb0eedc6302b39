// Reads vitest's JSON report: prints how many tests passed and failed, and appends what failed to a file.
// Usage: node summary.cjs REPORT SCRIPT FILE

const { appendFileSync, readFileSync } = require("node:fs");
const { relative } = require("node:path");

const [, , reportPath, script, failuresPath] = process.argv;
const report = JSON.parse(readFileSync(reportPath, "utf8"));

const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
  const file = relative(process.cwd(), name);
  const tests = assertionResults.filter((test) => test.status === "failed");
  // A file that could not be loaded, or whose hooks failed, may have no failed test.
  if (tests.length === 0 && status === "failed") return [`${file}: ${firstLines(message)}`];
  return tests.map((test) => `${file} > ${test.fullName}: ${firstLines(test.failureMessages.join("\n"))}`);
});
for (const failure of failures) appendFileSync(failuresPath, `FAILED: ${script}: ${failure}\n`);
console.log(report.numPassedTests, failures.length);

function firstLines(text) {
  return text.split("\n").slice(0, 6).join(" | ").slice(0, 600);
}
