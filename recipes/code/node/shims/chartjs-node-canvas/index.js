// chartjs-node-canvas's interface: charts of chart.js drawn without a browser.
"use strict";

const { Readable } = require("node:stream");
const canvasModule = require("canvas");
const { Chart } = require("chart.js/auto");

const TYPES = new Set(["svg", "pdf", undefined, null, ""]);

class ChartJSNodeCanvas {
  constructor(options) {
    if (options === null || typeof options !== "object") {
      throw new Error("An options parameter object is required");
    }
    const { width, height, type } = options;
    if (typeof width !== "number") throw new Error("A width option is required");
    if (typeof height !== "number") throw new Error("A height option is required");
    if (!TYPES.has(type)) throw new Error(`unknown canvas type: ${type}`);
    this._options = options;
    this._register(options.plugins);
    if (options.chartCallback) options.chartCallback(Chart);
  }

  _register(plugins) {
    const wanted = plugins ?? {};
    if (wanted.globalVariableLegacy || wanted.requireChartJSLegacy) globalThis.Chart = Chart;
    for (const plugin of wanted.modern ?? []) {
      Chart.register(...[typeof plugin === "string" ? load(plugin) : plugin].flat());
    }
    for (const name of wanted.requireLegacy ?? []) Chart.register(load(name));
    for (const name of wanted.requireChartJSLegacy ?? []) require(name);
    for (const name of wanted.globalVariableLegacy ?? []) require(name);
  }

  renderToDataURL(configuration, mimeType = "image/png") {
    return this._later(() => this.renderToDataURLSync(configuration, mimeType));
  }

  renderToDataURLSync(configuration, mimeType = "image/png") {
    const kind = this._options.type === "svg" ? "image/svg+xml" : mimeType;
    const data = this.renderToBufferSync(configuration, mimeType).toString("base64");
    return `data:${kind};base64,${data}`;
  }

  renderToBuffer(configuration, mimeType = "image/png") {
    return this._later(() => this.renderToBufferSync(configuration, mimeType));
  }

  renderToBufferSync(configuration, mimeType = "image/png") {
    const { chart, canvas } = this._draw(configuration);
    try {
      return canvas.toBuffer(mimeType);
    } finally {
      chart.destroy();
    }
  }

  renderToStream(configuration, mimeType = "image/png") {
    return Readable.from([this.renderToBufferSync(configuration, mimeType)]);
  }

  registerFont(path, options) {
    canvasModule.registerFont(path, options);
  }

  // Errors become rejections, as with the original.
  async _later(make) {
    return make();
  }

  _draw(configuration) {
    const { width, height, type, backgroundColour } = this._options;
    const canvas = canvasModule.createCanvas(width, height, type);
    const options = { ...configuration.options, responsive: false, animation: false };
    const plugins = [...(configuration.plugins ?? [])];
    if (backgroundColour) plugins.push(background(width, height, backgroundColour));
    const chart = new Chart(canvas.getContext("2d"), { ...configuration, options, plugins });
    return { chart, canvas };
  }
}

/** A module and what it exports by default, as one plugin or several. */
function load(name) {
  const found = require(name);
  return found.default ?? found;
}

function background(width, height, colour) {
  return {
    id: "chartjs-node-canvas-background",
    beforeDraw({ ctx }) {
      ctx.save();
      ctx.fillStyle = colour;
      ctx.fillRect(0, 0, width, height);
      ctx.restore();
    },
  };
}

exports.ChartJSNodeCanvas = ChartJSNodeCanvas;
// Its name before version 3.
exports.CanvasRenderService = class CanvasRenderService extends ChartJSNodeCanvas {
  constructor(width, height, chartCallback, type) {
    super({ width, height, chartCallback, type });
  }
};
