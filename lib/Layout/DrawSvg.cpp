// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Matrices.h"

#include "tessera/Layout/BankConflicts.h"
#include "tessera/Layout/Draw.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

using namespace tessera::layout;

namespace {
// Sizes in SVG units. A character of the labels is kCharacter wide.
constexpr int kMargin = 16, kRow = 18, kCharacter = 6, kHeading = 20, kLine = 16;
constexpr int kMinCell = 4, kMaxCell = 64;
/// More boxes than this have no labels: nobody could read them.
constexpr size_t kMostLabels = 8192;
constexpr int64_t kBankBytes = 4, kBanks = 32, kChunk = 16;

/// What fills a cell. Neighbours along a row (or column) that continue each other make one box.
struct Cell {
  int64_t owner = 0;    ///< boxes have one
  int64_t position = 0; ///< in a box, each cell has `step` more than the one before
  std::string colour;
};

/// `#rrggbb` of a hue in degrees and percentages of saturation and lightness, in integers: the same
/// on all machines.
std::string colourOf(int64_t hue, int64_t saturation, int64_t lightness) {
  const int64_t chroma = (100 - std::abs(2 * lightness - 100)) * saturation; // of 10000
  const int64_t second = chroma * (60 - std::abs(hue % 120 - 60)) / 60;
  const int64_t low = lightness * 100 - chroma / 2, sector = hue / 60;
  const int64_t red = sector == 0 || sector == 5 ? chroma : sector == 1 || sector == 4 ? second : 0;
  const int64_t green = sector == 1 || sector == 2   ? chroma
                        : sector == 0 || sector == 3 ? second
                                                     : 0;
  const int64_t blue = sector == 3 || sector == 4   ? chroma
                       : sector == 2 || sector == 5 ? second
                                                    : 0;
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x",
                static_cast<unsigned>((red + low) * 255 / 10000),
                static_cast<unsigned>((green + low) * 255 / 10000),
                static_cast<unsigned>((blue + low) * 255 / 10000));
  return text;
}

std::string escape(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

struct Box {
  int64_t row = 0, column = 0, length = 1;
  std::string colour, label;
};

/// One or several matrices of cells, one below the other.
class Picture {
public:
  Picture(std::string title, const std::string &description) : title(std::move(title)) {
    std::istringstream lines(description);
    for (std::string line; std::getline(lines, line);)
      words.push_back(line);
  }

  /// Adds a matrix. `cell` gives the cell at a row and a column, `label` the text of a box by its
  /// first cell and its length. Boxes lie along the columns of a row, or along the rows of a
  /// column.
  template <typename C, typename L>
  void add(std::string heading, int64_t rows, int64_t columns, int64_t step, bool upright, C cell,
           L label) {
    Matrix matrix{std::move(heading), rows, columns, {}};
    const int64_t outer = upright ? columns : rows, inner = upright ? rows : columns;
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < inner;) {
        auto at = [&](int64_t k) { return upright ? cell(k, i) : cell(i, k); };
        const Cell first = at(j);
        int64_t length = 1;
        for (; j + length < inner; ++length)
          if (Cell next = at(j + length);
              next.owner != first.owner || next.position != first.position + length * step)
            break;
        matrix.boxes.push_back(
            {upright ? j : i, upright ? i : j, length, first.colour, label(first, length)});
        j += length;
      }
    vertical = upright;
    matrices.push_back(std::move(matrix));
  }

  std::string toString() const;

private:
  struct Matrix {
    std::string heading;
    int64_t rows, columns;
    std::vector<Box> boxes;
  };
  std::string title;
  std::vector<std::string> words;
  std::vector<Matrix> matrices;
  bool vertical = false;
};

std::string Picture::toString() const {
  size_t boxes = 0;
  int64_t cell = kMinCell, height = kMargin + kHeading, wordWidth = title.size() * 9;
  for (const Matrix &matrix : matrices)
    boxes += matrix.boxes.size();
  const bool labelled = boxes <= kMostLabels;
  for (const Matrix &matrix : matrices)
    for (const Box &box : matrix.boxes)
      if (labelled)
        cell = std::max<int64_t>(cell, ((box.label.size() + 1) * kCharacter + box.length - 1) /
                                           (vertical ? 1 : box.length));
  cell = std::min<int64_t>(cell, kMaxCell);
  const int64_t row = labelled ? kRow : kMinCell;
  const int64_t left = kMargin + 5 * kCharacter;
  int64_t width = 0;
  for (const std::string &line : words)
    wordWidth = std::max<int64_t>(wordWidth, line.size() * kCharacter);
  std::ostringstream os;
  height += static_cast<int64_t>(words.size()) * kLine;
  for (size_t i = 0; i < words.size(); ++i)
    os << "<text x=\"" << kMargin << "\" y=\"" << kMargin + kHeading + int64_t(i) * kLine + 12
       << "\" fill=\"#57606a\">" << escape(words[i]) << "</text>\n";
  for (const Matrix &matrix : matrices) {
    height += kHeading;
    if (!matrix.heading.empty()) {
      os << "<text x=\"" << kMargin << "\" y=\"" << height - 5 << "\">" << escape(matrix.heading)
         << "</text>\n";
      height += kHeading;
    }
    // Numbers of columns where there is room for them, then the rows.
    const int64_t every = std::max<int64_t>(1, (4 * kCharacter + cell - 1) / cell);
    int64_t stride = 1;
    while (stride < every)
      stride *= 2;
    for (int64_t c = 0; c < matrix.columns; c += stride)
      os << "<text x=\"" << left + c * cell + 1 << "\" y=\"" << height - 5 << "\" fill=\"#57606a\">"
         << c << "</text>\n";
    for (int64_t r = 0; r < matrix.rows; r += labelled ? 1 : 8)
      os << "<text x=\"" << left - 4 << "\" y=\"" << height + r * row + (labelled ? 13 : 8)
         << "\" text-anchor=\"end\" fill=\"#57606a\">" << r << "</text>\n";
    // One path for all boxes of a colour.
    std::map<std::string, std::string> paths;
    for (const Box &box : matrix.boxes) {
      const int64_t w = vertical ? cell : cell * box.length, h = vertical ? row * box.length : row;
      paths[box.colour] += "M" + std::to_string(left + box.column * cell) + " " +
                           std::to_string(height + box.row * row) + "h" + std::to_string(w) + "v" +
                           std::to_string(h) + "h-" + std::to_string(w) + "z";
    }
    for (const auto &[colour, path] : paths)
      os << "<path fill=\"" << colour << "\" stroke=\"#fcfcfd\" d=\"" << path << "\"/>\n";
    for (const Box &box : matrix.boxes) {
      const int64_t room = (vertical ? cell : cell * box.length) / kCharacter;
      if (labelled && static_cast<int64_t>(box.label.size()) <= room)
        os << "<text x=\"" << left + box.column * cell + 3 << "\" y=\""
           << height + box.row * row + 13 << "\">" << box.label << "</text>\n";
    }
    height += matrix.rows * row;
    width = std::max(width, left + matrix.columns * cell);
  }
  width = std::max(width, kMargin + wordWidth) + kMargin;
  height += kMargin;
  std::ostringstream head;
  head << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << " " << height
       << "\" width=\"" << width << "\" height=\"" << height
       << "\" role=\"img\" aria-labelledby=\"title\" font-family=\"'Liberation Mono', Menlo, "
          "Consolas, monospace\" font-size=\"10\" fill=\"#1f2328\">\n<title id=\"title\">"
       << escape(title) << "</title>\n<rect width=\"" << width << "\" height=\"" << height
       << "\" rx=\"6\" fill=\"#fcfcfd\"/>\n<text x=\"" << kMargin << "\" y=\"" << kMargin + 10
       << "\" font-size=\"14\" font-weight=\"600\">" << escape(title) << "</text>\n";
  return head.str() + os.str() + "</svg>\n";
}
} // namespace

std::string tessera::layout::drawSvg(const RegisterLayout &l, const Coord &shape,
                                     const std::string &title) {
  const RegisterTile tile(l, shape);
  const int n = static_cast<int>(shape.size());
  const int64_t warps = l.warpsPerGroup();
  Picture picture(title, describe(l, shape) + "A colour is a lane, its lightness the warp.\n");
  auto label = [&](const Cell &first, int64_t length) {
    const int64_t lane = first.owner % 32, warp = first.owner / 32 % warps;
    std::string text = l.wgCount > 1 ? "g" + std::to_string(first.owner / 32 / warps) + " " : "";
    text += "w" + std::to_string(warp) + " l" + std::to_string(lane) + " r" +
            std::to_string(first.position);
    return length == 1 ? text : text + "-" + std::to_string(first.position + length - 1);
  };
  forEachMatrix(shape, [&](const std::string &heading, const Coord &leading) {
    auto cell = [&](int64_t row, int64_t column) {
      const Coord c = cellOf(leading, row, column);
      RegisterTile::Point p = {};
      std::copy(c.begin(), c.end(), p);
      const Location at = tile.locate(p);
      // Neighbouring lanes get hues far from each other.
      return Cell{(at.wg * warps + at.warp) * 32 + at.lane, at.reg,
                  colourOf(at.lane * 13 % 32 * 360 / 32, 70, 88 - at.warp % 4 * 9)};
    };
    picture.add(heading, n >= 2 ? shape[n - 2] : 1, n >= 1 ? shape[n - 1] : 1, 1, false, cell,
                label);
  });
  return picture.toString();
}

std::string tessera::layout::drawSvg(const SharedLayout &l, const std::string &title) {
  const int n = l.rank(), bytes = l.elementBits / 8;
  Picture picture(title,
                  l.toString() + "\n" + std::to_string(l.sizeBytes()) +
                      " bytes; bank conflicts of ldmatrix and stmatrix: " +
                      std::to_string(ldmatrixConflicts(l)) +
                      "\nA box is a chunk of 16 bytes with its first byte, a colour its four "
                      "banks.\n");
  auto label = [](const Cell &first, int64_t) { return std::to_string(first.position); };
  forEachMatrix(l.shape, [&](const std::string &heading, const Coord &leading) {
    auto cell = [&](int64_t row, int64_t column) {
      const int64_t byte = l.offset(cellOf(leading, row, column));
      return Cell{byte / kChunk, byte,
                  colourOf(byte / kChunk % (kBanks * kBankBytes / kChunk) * 45, 70, 78)};
    };
    picture.add(heading, n >= 2 ? l.shape[n - 2] : 1, l.shape[n - 1], bytes,
                n >= 2 && l.contiguousDim == n - 2, cell, label);
  });
  return picture.toString();
}
