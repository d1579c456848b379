// node-canvas's interface on @napi-rs/canvas: createCanvas(width, height, "svg") works too.
"use strict";

const napi = require("@napi-rs/canvas");
const { Readable } = require("node:stream");

const FORMATS = { "image/png": "png", "image/jpeg": "jpeg", "image/webp": "webp" };

function createCanvas(width, height, type) {
  if (type === "pdf") throw new Error("PDF canvases are not supported: use 'svg', or make a PNG");
  const svg = type === "svg";
  const canvas = svg
    ? napi.createCanvas(width, height, napi.SvgExportFlag.NoPrettyXML)
    : napi.createCanvas(width, height);
  const own = canvas.toBuffer?.bind(canvas);
  // Libraries made for browsers set sizes on it.
  canvas.style = {};
  canvas.toBuffer = (...args) => {
    const callback = typeof args[0] === "function" ? args.shift() : null;
    const make = () => {
      if (svg) return Buffer.from(canvas.getContent());
      const mime = args[0] ?? "image/png";
      if (mime === "raw") return Buffer.from(canvas.data());
      if (!(mime in FORMATS)) throw new Error(`unknown image type: ${mime}`);
      return own(mime, args[1]);
    };
    if (callback === null) return make();
    setImmediate(() => {
      let made;
      try {
        made = make();
      } catch (error) {
        callback(error);
        return;
      }
      callback(null, made);
    });
    return undefined;
  };
  const stream = (mime) => () => Readable.from([canvas.toBuffer(mime)]);
  canvas.createPNGStream = stream("image/png");
  canvas.createJPEGStream = stream("image/jpeg");
  return canvas;
}

function registerFont(file, face) {
  if (napi.GlobalFonts.registerFromPath(file, face?.family) === null) {
    throw new Error(`not a font that can be read: ${file}`);
  }
}

exports.createCanvas = createCanvas;
exports.registerFont = registerFont;
exports.deregisterAllFonts = () => {};
exports.loadImage = napi.loadImage;
exports.createImageData = (...args) => new napi.ImageData(...args);
exports.Image = napi.Image;
exports.ImageData = napi.ImageData;
exports.Canvas = function Canvas(...args) {
  return createCanvas(...args);
};
exports.CanvasRenderingContext2D = napi.CanvasRenderingContext2D;
exports.GlobalFonts = napi.GlobalFonts;
