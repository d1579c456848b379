import { writeFileSync } from "node:fs";
import * as d3 from "d3";
import { parseHTML } from "linkedom";

const { document } = parseHTML("<html><body></body></html>");
const values = [3, 7, 5];
const scale = d3.scaleLinear([0, d3.max(values)], [0, 100]);
const svg = d3
  .select(document.body)
  .append("svg")
  .attr("xmlns", "http://www.w3.org/2000/svg")
  .attr("viewBox", "0 0 100 100");
svg
  .selectAll("rect")
  .data(values)
  .join("rect")
  .attr("x", (_, index) => index * 30)
  .attr("y", (value) => 100 - scale(value))
  .attr("width", 25)
  .attr("height", scale);
writeFileSync("bars.svg", document.querySelector("svg").outerHTML);
